import { basename, sep } from 'node:path';
import {
  hasHiddenCharacters,
  isAgentError,
  optional,
  toErrorData,
  withinElement,
  type HookMoment,
  type Json,
  type LoadedText,
  type Output,
  type Rendering,
  type Scope,
} from '../../core/index.ts';
import { below, findRealPath, walkFiles } from '../../files/index.ts';
import type { AgentSkillDefinition } from './parse.ts';
import { bodyFor, joinPieces, placeIn, trimmed } from './render/render-skill.ts';
import { runCommands } from './run-commands.ts';

/** Gives the text of a skill to the conversation that calls, as an element that nothing in it can end. */
export function load(definition: AgentSkillDefinition, input: Json, scope: Scope): Promise<Output> {
  return outputOf(async () => {
    const rendering = await activate(definition, input, scope);
    const { name, dir, card } = scope.skill;
    const parts = [
      rendering.text === '' ? card.description : rendering.text,
      await aboutFiles(definition, scope),
    ];
    const folder = definition.hasFolder && dir !== '' ? ` dir="${attribute(dir)}"` : '';
    const inner = parts
      .filter((part) => part !== '')
      .map((part) => withinElement(part, 'skill'))
      .join('\n\n');
    const loaded: LoadedText = { ...rendering, ...optional('hooks', momentsOf(definition)) };
    return {
      status: 'done',
      text: `<skill name="${attribute(name)}"${folder}>\n${inner}\n</skill>`,
      value: loaded as unknown as Json,
    };
  });
}

/** The moments that the skill has hooks for; undefined for one without. */
function momentsOf({ hooks = [] }: AgentSkillDefinition): readonly HookMoment[] | undefined {
  return hooks.length === 0 ? undefined : [...new Set(hooks.map(({ moment }) => moment))];
}

function attribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}

/** The text of a skill with its input put in and its commands run, after a last look where there are some; throws what keeps any of it from being whole. */
export async function activate(
  definition: AgentSkillDefinition,
  input: Json,
  scope: Scope,
  beforeCommands: () => Promise<void> = async () => undefined,
): Promise<Rendering> {
  const body = bodyFor(definition, input, placeIn(scope, definition));
  if (body.hidden) scope.note('The arguments hold characters that cannot be seen; they stay in the text.');
  if (body.pieces.some((piece) => typeof piece !== 'string')) await beforeCommands();
  const commands = await runCommands(body, definition, scope);
  const text = trimmed(joinPieces(body.pieces, (_command, index) => commands[index]?.output ?? ''));
  return { text, commands, replacements: body.replacements };
}

/** Where a skill lies and which files it brings along, for a model; empty for one without a folder or other files. */
export async function aboutFiles({ hasFolder }: AgentSkillDefinition, scope: Scope): Promise<string> {
  const { dir, file } = scope.skill;
  if (!hasFolder || dir === '') return '';
  const { files, hasMore } = await scope.step('files', () => listFiles(dir, basename(file)));
  if (files.length === 0) return '';
  return [
    `Files of this skill, in ${dir}:`,
    ...files.map((path) => `- ${path}`),
    ...(hasMore ? ['- … (there are more)'] : []),
    'Read one with the `read` tool when it is needed; run scripts with `bash`.',
  ].join('\n');
}

/** The files of a bundle beside its descriptor. */
type BundleFiles = {
  /** Relative, with slashes, in order. */
  readonly files: readonly string[];
  /** There are more than are listed. */
  readonly hasMore: boolean;
};

const most = { files: 50, characters: 2_000, looked: 5_000 };

/** Lists what a bundle brings along: nothing hidden, nothing installed, nothing that a link leads out to. */
export function listFiles(folder: string, descriptor: string): BundleFiles {
  const files: string[] = [];
  let characters = 0;
  let looked = 0;
  for (const path of filesIn(findRealPath(folder))) {
    if ((looked += 1) > most.looked) return { files, hasMore: true };
    if (path === undefined || path === descriptor || hasHiddenCharacters(path) || /[\n\r\t]/.test(path))
      continue;
    characters += path.length + 1;
    if (files.length === most.files || characters > most.characters) return { files, hasMore: true };
    files.push(path);
  }
  return { files, hasMore: false };
}

function* filesIn(root: string | undefined): Generator<string | undefined> {
  if (root === undefined) return;
  const isShown = (name: string): boolean => !name.startsWith('.') && name !== 'node_modules';
  const walk = walkFiles<true>({
    root,
    start: root,
    state: true,
    links: true,
    enter: (_state, name) => (isShown(name) ? true : undefined),
    isWanted: (_state, name) => isShown(name),
    onUnreadable: () => undefined, // what cannot be read need not be listed
  });
  for (const path of walk) yield path === undefined ? undefined : below(root, path).replaceAll(sep, '/');
}

/** What a skill came to; a failure that was thrown is its failure, and anything else that was thrown is a defect. */
export async function outputOf(work: () => Promise<Output>): Promise<Output> {
  try {
    return await work();
  } catch (thrown) {
    if (!isAgentError(thrown)) throw thrown;
    const error = toErrorData(thrown);
    return { status: 'failed', text: error.message, error };
  }
}

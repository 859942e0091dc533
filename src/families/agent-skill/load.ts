import { basename, sep } from 'node:path';
import {
  hasHiddenCharacters,
  isAgentError,
  toErrorData,
  withinElement,
  type Hook,
  type HookMoment,
  type Json,
  type LoadedText,
  type Output,
  type Rendering,
  type Scope,
} from '../../core/index.ts';
import { below, findRealPath, walkVisibleFiles } from '../../files/index.ts';
import type { AgentSkillDefinition } from './parse.ts';
import { bodyFor, joinPieces, renderContext, trimmed } from './render/render-skill.ts';
import { runCommands } from './run-commands.ts';

/** Returns a skill's text to the calling conversation, enclosed in an element that the text cannot close. */
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
    const { hooks, pluginHooks, pluginDir = '' } = definition;
    const loaded: LoadedText = {
      ...rendering,
      ...(hooks === undefined ? {} : { hooks: momentsOf(hooks) }),
      ...(pluginHooks === undefined
        ? {}
        : { sharedHooks: { id: pluginDir, moments: momentsOf(pluginHooks) } }),
    };
    return {
      status: 'done',
      text: `<skill name="${attribute(name)}"${folder}>\n${inner}\n</skill>`,
      value: loaded as unknown as Json,
    };
  });
}

function momentsOf(hooks: readonly Hook[]): readonly HookMoment[] {
  return [...new Set(hooks.map(({ moment }) => moment))];
}

function attribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}

/**
 * Returns a skill's text with its input and the output of its commands inserted. `beforeCommands` is called
 * before any command runs. Throws if any part fails.
 */
export async function activate(
  definition: AgentSkillDefinition,
  input: Json,
  scope: Scope,
  beforeCommands: () => Promise<void> = async () => undefined,
): Promise<Rendering> {
  const body = bodyFor(definition, input, renderContext(scope, definition));
  if (body.hidden) scope.note('The arguments contain invisible characters, which were not removed.');
  if (body.pieces.some((piece) => typeof piece !== 'string')) await beforeCommands();
  const commands = await runCommands(body, definition, scope);
  const text = trimmed(joinPieces(body.pieces, (_command, index) => commands[index]?.output ?? ''));
  return { text, commands, replacements: body.replacements };
}

/**
 * Describes a skill's folder and files to a model. Returns an empty string if the skill has no folder or if it
 * contains only the descriptor.
 */
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

/** A bundle's files, except its descriptor. */
type BundleFiles = {
  /** The relative file paths with forward slashes, sorted. */
  readonly files: readonly string[];
  /** Whether some files were omitted to keep the list short. */
  readonly hasMore: boolean;
};

const most = { files: 50, characters: 2_000, looked: 5_000 };

/** Lists a bundle's files. Excludes hidden files, `node_modules`, and links to files outside the bundle. */
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
  for (const path of walkVisibleFiles(root, { links: true }))
    yield path === undefined ? undefined : below(root, path).replaceAll(sep, '/');
}

/**
 * Calls a function and returns its output. A thrown `AgentError` becomes a failed output. Any other error is
 * a bug and is rethrown.
 */
export async function outputOf(work: () => Promise<Output>): Promise<Output> {
  try {
    return await work();
  } catch (thrown) {
    if (!isAgentError(thrown)) throw thrown;
    const error = toErrorData(thrown);
    return { status: 'failed', text: error.message, error };
  }
}

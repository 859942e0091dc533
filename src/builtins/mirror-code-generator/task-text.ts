import type { Spec } from '../../generation/read-specs.ts';
import { buildEntryText, exportsLine } from './entry-text.ts';
import { fenced } from './fenced.ts';
import { languageOf } from './language-of.ts';

/** What is known when files are asked for. */
export interface Task {
  /** What the skill promises its callers. */
  readonly contract: string;
  /** What `src/index.*` must export. */
  readonly exports: readonly string[];
  /** The file that must export them instead, by target; its spec says how they are called. */
  readonly entry?: string;
  /** All specs of the skill. */
  readonly specs: readonly Spec[];
  /** Names of the packages in its folder. */
  readonly packages: readonly string[];
  /** The text of a source file as it is now, by target. */
  read(target: string): string | undefined;
}

/** The request for some files of a skill, with everything that they are made of. */
export function buildTaskText(task: Task, asked: readonly Spec[]): string {
  const { contract, packages, specs } = task;
  const paths = asked.map(({ target }) => `src/${target}`);
  const others = specs.filter((spec) => !asked.includes(spec)).map(({ target }) => `src/${target}`);
  const parts = [
    `Write ${paths.join(', ')}.`,
    `Other source files of the skill: ${others.join(', ') || 'none'}. Installed packages: ${packages.join(', ') || 'none'}.`,
    ...(contract === '' ? [] : [`# What the skill promises its callers\n\n${fenced(contract, 'markdown')}`]),
    ...asked.map((spec) => sectionOf(task, spec)),
    ...dependenciesOf(task, asked).map((spec) => dependencySection(task, spec)),
  ];
  return parts.join('\n\n');
}

function sectionOf({ exports, entry, read }: Task, { target, path, text }: Spec): string {
  const isEntry = entry === undefined ? /^index\.[a-z]+$/.test(target) : target === entry;
  const now = read(target);
  const parts = [
    `# src/${target} (${languageOf(target).name})`,
    ...(isEntry && exports.length > 0
      ? [entry === undefined ? buildEntryText(exports) : exportsLine(exports)]
      : []),
    `Its specification, ${path}:\n\n${fenced(text, 'markdown')}`,
    ...(now === undefined
      ? []
      : [
          `The file as it is now. Change only what the specification asks for:\n\n${fenced(now, languageOf(target).word)}`,
        ]),
  ];
  return parts.join('\n\n');
}

function dependencySection({ read }: Task, { target, path, text }: Spec): string {
  const code = read(target);
  return [
    `# src/${target}, which is used by what you write`,
    `Its specification, ${path}:\n\n${fenced(text, 'markdown')}`,
    ...(code === undefined ? [] : [`Its code:\n\n${fenced(code, languageOf(target).word)}`]),
  ].join('\n\n');
}

function dependenciesOf({ specs }: Task, asked: readonly Spec[]): readonly Spec[] {
  const wanted = new Set(asked.flatMap(({ dependencies }) => dependencies));
  return specs.filter((spec) => wanted.has(spec.target) && !asked.includes(spec));
}

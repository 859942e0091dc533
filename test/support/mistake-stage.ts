import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import type { Ended } from './command.ts';
import { compileCache } from './compile-cache.ts';
import { installedMain } from './installed.ts';
import type { MistakeFile } from './mistake-page.ts';
import { skillText, tree } from './tree.ts';

/** The environment of a mistake, apart from its files. */
export interface Surroundings {
  readonly env?: Readonly<Record<string, string>>;
  /** Actual values for text on the page that is not known in advance, such as a port number. */
  readonly actual?: Readonly<Record<string, string>>;
  /** Returns the command prefix that runs the program for a project folder. */
  readonly wrapper?: (project: string) => readonly string[];
  /** A command that is typed before the mistake. */
  readonly before?: string;
  /** If set, the cause is gone before the remedy is typed. */
  readonly isCured?: true;
}

/** A project in which a test types commands. */
export interface MistakeStage extends Disposable {
  /**
   * Types a script in the project and ends it once it prints `until`. Returns the output in the page's
   * wording, without notes about the run.
   */
  type(script: string, until?: string): Promise<Ended>;
  /** Restores the usual environment for all following commands. */
  cure(): void;
  write(file: MistakeFile): void;
}

const home = '/home/ann';

/** Creates the project that the page describes, with its own home folder. */
export function openMistakeStage({ env = {}, actual = {}, wrapper }: Surroundings = {}): MistakeStage {
  const stage = tree(filesOfProject);
  const project = stage.at('ann', 'workshop');
  mkdirSync(join(project, '.git'), { recursive: true });
  const program = [...(wrapper?.(project) ?? []), process.execPath, installedMain];
  const quoted = program.map((arg) => `'${arg}'`).join(' ');
  chmodSync(stage.write('bin/skilled', `#!/bin/sh\nexec ${quoted} "$@"\n`), 0o755);
  const translation = createTranslation({ ...actual, [home]: stage.at('ann') });
  const paths = [stage.at('bin'), dirname(process.execPath), process.env['PATH']].join(delimiter);
  const usual = { HOME: stage.at('ann'), PATH: paths, TMPDIR: process.env['TMPDIR'] ?? '/tmp' };
  let isCured = false;
  return {
    async type(script, until) {
      const variables = { ...usual, ...compileCache(), ...(isCured ? {} : env) };
      const ended = await run(translation.toActual(script), { cwd: project, env: variables, until });
      return {
        code: ended.code,
        out: translation.toPage(ended.out),
        err: withoutNotes(translation.toPage(ended.err)),
      };
    },
    cure() {
      isCured = true;
    },
    write({ path, text }) {
      stage.write(path.startsWith('~/') ? join('ann', path.slice(2)) : join('ann/workshop', path), text);
    },
    [Symbol.dispose]: () => {
      stage[Symbol.dispose]();
    },
  };
}

const jobNumber = `# Job Number

## Description

Makes the number of a repair job from the day and the count of the day.

## Input Format

\`\`\`json
{
  "type": "object",
  "properties": { "day": { "type": "string" }, "count": { "type": "integer", "default": 1 } },
  "required": ["day"]
}
\`\`\`
`;

const filesOfProject = {
  'ann/workshop/skills/thank-you-note/SKILL.md': skillText(
    'thank-you-note',
    'Writes a short thank-you note to a customer.',
  ),
  'ann/workshop/.agents/skills/opening-hours/SKILL.md': skillText(
    'opening-hours',
    'Tells the opening hours.',
  ),
  'ann/workshop/skills/job-number/cskill.md': jobNumber,
  'ann/workshop/skills/job-number/src/index.mjs':
    'export const action = ({ day, count }) => `J-${day}-${count}`;\n',
};

/** Translates between the page's values and those of this process. An id keeps its first translation. */
function createTranslation(known: Readonly<Record<string, string>>): {
  toActual(text: string): string;
  toPage(text: string): string;
} {
  const ids = new Map<string, string>();
  return {
    toActual(text) {
      const pairs = [...Object.entries(known), ...[...ids].map(([id, shown]) => [shown, id] as const)];
      return pairs.reduce((result, [shown, real]) => result.replaceAll(shown, real), text);
    },
    toPage(text) {
      const shown = Object.entries(known).reduce(
        (result, [placeholder, real]) => result.replaceAll(real, placeholder),
        text,
      );
      return shown
        .replace(/\b[rq]_[0-9a-f]{16}\b/g, (id) => {
          const name =
            ids.get(id) ?? `${id.slice(0, 2)}${String(ids.size + 1).padStart(16, '5f0c2a9b7d31e844')}`;
          ids.set(id, name);
          return name;
        })
        .replace(/\br_[0-9a-f]{8}\/q_[0-9a-f]{6}\b/g, (id) => {
          const name = ids.get(id) ?? `r_5f0c2a9b/q_5f0c2${(10 + ids.size).toString(16)}`;
          ids.set(id, name);
          return name;
        })
        .replace(/\b\d+ h \d+ min\b/g, '23 h 59 min')
        .replace(/\(version [0-9a-f]{12}\)|@[0-9a-f]{12}\b/g, (version) =>
          version.replace(/[0-9a-f]{12}/, '3f2a9c1b7d31'),
        );
    },
  };
}

/** Removes the note about where runs are stored, and the summary of the run. */
function withoutNotes(text: string): string {
  return text.replace(/^(?:Runs are stored in |run r_[0-9a-f]{8} · ).*\n/gm, '');
}

interface Process {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly until: string | undefined;
}

function run(script: string, { cwd, env, until }: Process): Promise<Ended> {
  // The shell gets its own process group, so that its child processes end with it.
  const child = spawn('sh', ['-eu', '-c', script], {
    cwd,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const end = (): void => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
  };
  const late = setTimeout(end, 120_000);
  const output = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output.out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.err += text;
    if (until !== undefined && output.err.includes(until)) end();
  });
  return new Promise((done) => {
    child.on('close', (code) => {
      clearTimeout(late);
      done({ code: until === undefined ? code : 0, ...output });
    });
  });
}

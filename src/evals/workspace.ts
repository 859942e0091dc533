import {
  copyFileSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Ports } from '../agent/options.ts';
import type { Database } from '../core/index.ts';
import type { Eval } from './eval.ts';

/** The folder of a case, gone when its scope ends. */
export interface TrialPlace extends Disposable {
  /** Where the skill reads and writes files. */
  readonly workspace: string;
  /** A copy of what the user trusts, so that nothing that happens is kept. */
  readonly trustFile: string;
}

/** Makes the workspace that a case begins with, in a temporary folder of its own. */
export function openTrialPlace(
  { files, workspace: model }: Pick<Eval, 'files' | 'workspace'>,
  trusted: string | undefined,
): TrialPlace {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'skilled-case-')));
  const workspace = join(folder, 'workspace');
  const trustFile = join(folder, 'trust.json');
  mkdirSync(workspace);
  if (model !== undefined) cpSync(model, workspace, { recursive: true, filter: isNoLink });
  for (const [path, text] of Object.entries(files)) {
    const file = join(workspace, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  if (trusted !== undefined && existsSync(trusted)) copyFileSync(trusted, trustFile);
  return {
    workspace,
    trustFile,
    [Symbol.dispose]: () => {
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

/** A link could lead what is written below it out of the workspace. */
function isNoLink(path: string): boolean {
  return !lstatSync(path).isSymbolicLink();
}

/** Databases in memory, one for each place that a skill names, whatever lies there. */
interface TrialDatabases extends AsyncDisposable {
  readonly open: Ports['openDatabase'];
}

/** Opens databases for one case, which are the same for all of its runs. */
export function createTrialDatabases(openDatabase: Ports['openDatabase']): TrialDatabases {
  const opened = new Map<string, Promise<Database>>();
  return {
    async open(where = '') {
      const known = opened.get(where) ?? openDatabase(undefined, undefined);
      opened.set(where, known);
      const database = await known;
      const { kind, place } = database;
      return {
        kind,
        place,
        read: (statement) => database.read(statement),
        write: (work) => database.write(work),
        close: async () => {},
      };
    },
    async [Symbol.asyncDispose]() {
      for (const database of opened.values()) await (await database).close();
    },
  };
}

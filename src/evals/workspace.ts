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

/** The temporary folder of an eval, which is deleted on disposal. */
export interface EvalFolder extends Disposable {
  /** The folder in which the skill reads and writes files. */
  readonly workspace: string;
  /** A copy of the user's trust file. Changes to the copy are discarded. */
  readonly trustFile: string;
}

/** Creates the temporary folder of an eval with its initial workspace. */
export function openEvalFolder(
  { files, workspace: model }: Pick<Eval, 'files' | 'workspace'>,
  trusted: string | undefined,
): EvalFolder {
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

/**
 * Whether a path is not a symbolic link. Links are not copied, because they can lead outside the workspace.
 */
function isNoLink(path: string): boolean {
  return !lstatSync(path).isSymbolicLink();
}

/** In-memory databases that replace the skill's databases. */
interface EvalDatabases extends AsyncDisposable {
  readonly open: Ports['openDatabase'];
}

/** Creates the databases for one eval. All runs of the eval share them. */
export function createEvalDatabases(openDatabase: Ports['openDatabase']): EvalDatabases {
  const opened = new Map<string, Promise<Database>>();
  return {
    async open(where = '') {
      const known = opened.get(where) ?? openDatabase(undefined, undefined);
      opened.set(where, known);
      const database = await known;
      const { kind, location } = database;
      return {
        kind,
        location,
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

import {
  cpSync,
  copyFileSync,
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
import type { Trial } from './trial.ts';

/** The folder of a case, gone when its scope ends. */
export interface TrialPlace extends Disposable {
  /** Where the skill reads and writes files. */
  readonly workspace: string;
  /** A copy of what the user trusts, so that nothing that happens is kept. */
  readonly trustFile: string;
}

/** Makes the workspace that a case begins with, in a temporary folder of its own. */
export function openTrialPlace(
  { files, workspace: model }: Pick<Trial, 'files' | 'workspace'>,
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

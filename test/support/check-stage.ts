import { programFiles, type CheckContext } from '../../src/builtins/mirror-code-generator/check-programs.ts';
import { findCompiler } from '../../src/builtins/mirror-code-generator/check-types.ts';
import { createProcessSandboxes } from '../../src/sandboxes/bubblewrap-provider.ts';
import { tree, type Tree } from './tree.ts';

/** A sandbox with the files of a skill, in which the generator's checks can run. */
export interface CheckStage extends AsyncDisposable {
  readonly context: CheckContext;
  readonly files: Tree;
}

/** Opens a sandbox that can read these files, as if they belonged to a skill. */
export async function openChecks(given: Readonly<Record<string, string>>): Promise<CheckStage> {
  const files = tree(given);
  const sandbox = await createProcessSandboxes().open({
    read: [files.path, ...programFiles(), ...(findCompiler()?.folders ?? [])],
    write: [],
    hosts: [],
    environment: {},
  });
  return {
    context: { sandbox, folder: files.path, signal: new AbortController().signal },
    files,
    async [Symbol.asyncDispose]() {
      await sandbox.close();
      files[Symbol.dispose]();
    },
  };
}

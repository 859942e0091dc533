import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

// The folder in which the test runner keeps all temporary folders until it ends. On ext4, creating files is
// slow next to files that were just deleted.
const sharedFolder = process.env['SKILLED_TEST_FOLDER'];

/** A temporary folder. It is removed when its scope or the test run ends. */
export interface Tree extends Disposable {
  /** The real path, without symbolic links. */
  readonly path: string;
  /** Returns the absolute path of an entry. */
  at(...parts: string[]): string;
  write(file: string, text: string | Uint8Array): string;
}

/** Creates a temporary folder with these files. Declare it with `using`. */
export function tree(files: Readonly<Record<string, string | Uint8Array>> = {}): Tree {
  const path = realpathSync(
    mkdtempSync(sharedFolder === undefined ? join(tmpdir(), 'skilled-test-') : join(sharedFolder, 't-')),
  );
  const result: Tree = {
    path,
    at: (...parts) => join(path, ...parts),
    write(file, text) {
      const full = join(path, file);
      mkdirSync(dirname(full), { recursive: true });
      writeFileSync(full, text);
      return full;
    },
    [Symbol.dispose]() {
      if (sharedFolder === undefined) rmSync(path, { recursive: true, force: true, maxRetries: 3 });
    },
  };
  for (const [file, text] of Object.entries(files)) result.write(file, text);
  return result;
}

/** Returns the text of a minimal `SKILL.md`. */
export function skillText(name: string, description = `Does ${name}.`, more = ''): string {
  return `---\nname: ${name}\ndescription: ${description}\n${more}---\n\n# ${name}\n\nDo it.\n`;
}

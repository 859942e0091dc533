import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

// Where the test runner keeps all folders until it ends: ext4 makes new files slowly next to files that were just deleted.
const sharedFolder = process.env['SKILLED_TEST_FOLDER'];

/** A folder that is gone when its scope ends, or when all tests have ended. */
export interface Tree extends Disposable {
  /** Real path. */
  readonly path: string;
  /** Absolute path of something in it. */
  at(...parts: string[]): string;
  write(file: string, text: string | Uint8Array): string;
}

/** A temporary folder with these files; use it with `using`. */
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

/** A minimal descriptor of the open standard. */
export function skillText(name: string, description = `Does ${name}.`, more = ''): string {
  return `---\nname: ${name}\ndescription: ${description}\n${more}---\n\n# ${name}\n\nDo it.\n`;
}

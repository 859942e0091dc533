import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { tmpdir } from 'node:os';
import { extname, join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { SourceTextModule } from 'node:vm';

// Reads `{files}` as JSON from stdin and writes the syntax errors in those files to stdout as JSON. Does not
// run the files.
const { files } = JSON.parse(await text(process.stdin)) as { readonly files: readonly string[] };
const folder = mkdtempSync(join(tmpdir(), 'syntax-'));
try {
  process.stdout.write(JSON.stringify(files.flatMap(faultsOf)));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function faultsOf(file: string): readonly object[] {
  try {
    switch (extname(file).toLowerCase()) {
      case '.json':
        JSON.parse(readFileSync(file, 'utf8'));
        return [];
      case '.ts':
      case '.mts':
      case '.cts':
        return faultsOfTyped(file);
      case '.js':
      case '.mjs':
      case '.cjs':
        return faultsOfScript(resolve(file), file);
      default:
        return [];
    }
  } catch (thrown) {
    const { message, stack = '' } = thrown as Error;
    const line = /^:(\d+)$/m.exec(stack)?.[1];
    return [{ file, ...(line === undefined ? {} : { line: Number(line) }), message }];
  }
}

/** Returns the syntax errors in a TypeScript file. Stripping the types does not change line numbers. */
function faultsOfTyped(file: string): readonly object[] {
  const script = join(folder, file.endsWith('.cts') ? 'script.cjs' : 'script.mjs');
  writeFileSync(script, stripTypeScriptTypes(readFileSync(file, 'utf8')));
  return faultsOfScript(script, file);
}

function faultsOfScript(script: string, file: string): readonly object[] {
  if (!script.endsWith('.cjs') && isModule(readFileSync(script, 'utf8'))) return [];
  const { status, stderr } = spawnSync(process.execPath, ['--check', script], { encoding: 'utf8' });
  if (status === 0) return [];
  const location = stderr.split('\n').find((one) => one.startsWith(`${script}:`));
  const line = location?.slice(script.length + 1);
  const [, message = 'The file could not be parsed.'] =
    /^(?:[A-Za-z]*Error(?: \[\w+\])?: )(.*)$/m.exec(stderr) ?? [];
  return [{ file, ...(line === undefined ? {} : { line: Number(line) }), message }];
}

/**
 * Whether the code compiles as a module, which is true for most code. If it is false, `node --check` locates
 * the error.
 */
function isModule(code: string): boolean {
  try {
    return new SourceTextModule(code) instanceof SourceTextModule;
  } catch {
    return false; // `node --check` then finds the line of the error.
  }
}

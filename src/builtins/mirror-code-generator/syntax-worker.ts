import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { tmpdir } from 'node:os';
import { extname, join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { SourceTextModule } from 'node:vm';

// Reads {files} and writes the faults in the syntax of these files, as JSON. It runs nothing of them.
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

/** Taking the types out moves nothing, so lines stay what they are. */
function faultsOfTyped(file: string): readonly object[] {
  const script = join(folder, file.endsWith('.cts') ? 'script.cjs' : 'script.mjs');
  writeFileSync(script, stripTypeScriptTypes(readFileSync(file, 'utf8')));
  return faultsOfScript(script, file);
}

function faultsOfScript(script: string, file: string): readonly object[] {
  if (!script.endsWith('.cjs') && isModule(readFileSync(script, 'utf8'))) return [];
  const { status, stderr } = spawnSync(process.execPath, ['--check', script], { encoding: 'utf8' });
  if (status === 0) return [];
  const place = stderr.split('\n').find((one) => one.startsWith(`${script}:`));
  const line = place?.slice(script.length + 1);
  const [, message = 'It cannot be read.'] = /^(?:[A-Za-z]*Error(?: \[\w+\])?: )(.*)$/m.exec(stderr) ?? [];
  return [{ file, ...(line === undefined ? {} : { line: Number(line) }), message }];
}

/** Whether it can be compiled as a module, which most can; what is wrong with the others, and where, Node itself says. */
function isModule(code: string): boolean {
  try {
    return new SourceTextModule(code) instanceof SourceTextModule;
  } catch {
    return false; // asked again with a line
  }
}

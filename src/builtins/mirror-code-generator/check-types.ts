import { join } from 'node:path';
import { crashReason } from '../../core/crash-reason.ts';
import { runProgram, stopOf, type CheckPlace } from './check-place.ts';
import type { Compiler } from './compiler.ts';
import type { Fault } from './fault.ts';
import { scopeDeclaration } from './scope-declaration.ts';

/** What is wrong with the types of files, given from the folder of the skill. */
export async function checkTypes(
  place: CheckPlace,
  { file: compiler, types }: Compiler,
  files: readonly string[],
  timeoutMs: number,
): Promise<readonly Fault[]> {
  const paths = files.map((file) => join(place.folder, file));
  const order = { compiler, types, declaration: scopeDeclaration, files: paths };
  const result = await runProgram(place, 'types-worker', order, timeoutMs);
  const stopped = stopOf(result, timeoutMs);
  if (stopped !== undefined) return [{ message: `The check of the types ${stopped}.` }];
  const faults = readCompilerOutput(result.stdout);
  if (result.exitCode !== 0 && faults.length === 0 && !isOnlyUntyped(result.stdout)) {
    const reason = crashReason(result.stderr) || crashReason(result.stdout);
    return [{ message: `The types were not checked: ${reason}` }];
  }
  return faults;
}

const untypedPackage = 'TS7016'; // that a package comes without types is not the fault of whoever uses it

/** The faults that a compiler printed with a place, each with the lines below it that explain it. */
export function readCompilerOutput(output: string): readonly Fault[] {
  const faults: { file: string; line: number; message: string }[] = [];
  let isCounted = false;
  for (const line of output.split(/\r?\n/)) {
    const [, file, at, code, message] = /^(.+?)\((\d+),\d+\): error (TS\d+): (.*)$/.exec(line) ?? [];
    if (file !== undefined && message !== undefined) {
      isCounted = code !== untypedPackage;
      if (isCounted) faults.push({ file, line: Number(at), message });
    } else if (isCounted && /^\s+\S/.test(line)) {
      const last = faults.at(-1);
      if (last !== undefined) last.message += `\n${line}`;
    }
  }
  return faults;
}

function isOnlyUntyped(output: string): boolean {
  return output.includes(` error ${untypedPackage}: `);
}

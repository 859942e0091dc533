// Prints the files through which a call passes from the CLI to the family that executes the skill, and how
// often the call returns to a file that it had left. Records the calls with the debugger.
//
//   npm run call-stack               of src
//   npm run call-stack -- <folder>   of another checkout
import path from 'node:path';
import { recordCallStack, type Passed } from '../test/support/call-stack.ts';

const project = path.resolve(process.argv[2] ?? path.join(import.meta.dirname, '..'));
const requests = ['/tyre-size 37-622', 'Prepare the morning report of the workshop'];

for (const request of requests) print(request, await recordCallStack(project, request));

function print(request: string, stack: readonly Passed[]): void {
  const visits = stack.filter(({ file }, index) => file !== stack[index - 1]?.file);
  const files = new Set(visits.map(({ file }) => file));
  const folders = new Set([...files].map((file) => path.dirname(file)));
  const names = (visit: number): string => {
    const from = stack.indexOf(visits[visit] as Passed);
    const next = visits[visit + 1];
    const to = next === undefined ? stack.length : stack.indexOf(next);
    return [...new Set(stack.slice(from, to).map(({ name }) => name || '(anonymous)'))].join(' › ');
  };
  const seen = new Set<string>();
  process.stdout.write(`${request}\n`);
  visits.forEach(({ file }, visit) => {
    process.stdout.write(`  ${seen.has(file) ? '↩' : ' '} ${file.padEnd(44)} ${names(visit)}\n`);
    seen.add(file);
  });
  const returns = visits.length - files.size;
  process.stdout.write(`  ${files.size} files, ${folders.size} folders, ${returns} returns\n\n`);
}

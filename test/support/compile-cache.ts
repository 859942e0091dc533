/**
 * Returns the variable that lets a process reuse code that other processes compiled. This saves about a
 * second per process and does not change what a program observes.
 */
export function compileCache(): Readonly<Record<string, string>> {
  const folder = process.env['NODE_COMPILE_CACHE'];
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: folder };
}

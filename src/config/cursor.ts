/** Whether the terminal can move its cursor, as all but those that call themselves dumb can. */
export function hasCursor(environment: Readonly<Record<string, string | undefined>> = process.env): boolean {
  return environment['TERM'] !== 'dumb';
}

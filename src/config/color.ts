/** What the environment says about colours: never, always, or as the terminal can. */
export function colorWish(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): 'never' | 'always' | 'auto' {
  const isSet = (name: string): boolean => (environment[name] ?? '') !== '';
  if (isSet('NO_COLOR')) return 'never';
  if (isSet('FORCE_COLOR')) return environment['FORCE_COLOR'] === '0' ? 'never' : 'always';
  return environment['TERM'] === 'dumb' ? 'never' : 'auto';
}

/** How a person calls this program: `skilled`, or what stands for it where that is not on the path. `SKILLED_PROGRAM` goes first. */
export function programName(environment: Readonly<Record<string, string | undefined>> = process.env): string {
  const { SKILLED_PROGRAM: given = '', npm_lifecycle_script: script = '' } = environment;
  if (given !== '') return given;
  return callsSkilled.test(script) ? 'npx skilled' : 'skilled';
}

// npx and npm run put the program on the path only while they run it.
const callsSkilled = /(?:^|[\s'"();&|])skilled(?:$|[\s'"();&|])/;

import { existsSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';

/** The text of first settings, which say nothing yet; an editor finds their schema where the package is installed. */
export function settingsText(project: string): string {
  const [isThere, schema] = schemaFrom(project);
  return `{
  // "skilled config list --all" shows what can be set, "skilled config explain <key>" what it means.
  ${isThere ? '' : '// '}"$schema": "${schema}",
  // "limits": { "depth": 4, "money": 1 },
}
`;
}

const place = ['node_modules', 'skilled', 'schemas', 'settings.json'];

/** From the folder of the settings; where no package is found upwards, the place at which it usually is. */
function schemaFrom(project: string): readonly [isThere: boolean, path: string] {
  const base = join(project, '.skilled');
  for (let dir = project; ; dir = dirname(dir)) {
    const file = join(dir, ...place);
    if (existsSync(file)) return [true, relative(base, file).split(sep).join('/')];
    if (dirname(dir) === dir) return [false, ['..', ...place].join('/')];
  }
}

import { settingsDefinition } from '../../src/config/settings-definition.ts';

/** The table of all settings as docs/settings.md has it. */
export function settingsTable(): string {
  const rows = settingsDefinition.map(({ key, shape, description, default: usual, byDefault, ...ways }) => {
    const without = usual === undefined ? (byDefault ?? '') : `\`${JSON.stringify(usual)}\``;
    const also = [ways.variable, ways.flag].filter((way) => way !== undefined).map((way) => `\`${way}\``);
    return `| \`${key}\` | ${shape.expected} | ${without} | ${also.join(', ')} | ${description} |`;
  });
  const head = ['| key | value | default | also set by | meaning |', '|---|---|---|---|---|'];
  return `${[...head, ...rows].join('\n')}\n`;
}

/** What stands before and behind the table. */
export const tableMarks = [
  '<!-- settings: written by scripts/make-settings-reference.js -->\n\n',
  '\n<!-- end -->\n',
] as const;

import { relative } from 'node:path';
import type { Finding } from '../../../doctor/audit/diagnostic.ts';
import { pasteable } from '../../output/pasteable.ts';
import { paint } from '../../output/status.ts';
import { oneLine } from '../../output/text.ts';
import type { Terminal } from '../../terminal.ts';

/** Findings beyond these are only counted. */
const most = 10;
const colors = { high: 'red', medium: 'yellow', low: 'gray' } as const;

/** What the audit of a bundle found, one line each; empty when that is nothing. */
export function findingLines(findings: readonly Finding[], dir: string, terminal: Terminal): string {
  if (findings.length === 0) return '';
  const lines = findings.slice(0, most).map(({ severity, file, line, what, text }) => {
    const name = relative(dir, file) || text; // of the bundle as a whole: what is meant in it
    const place = `${name}${line === undefined ? '' : `:${line}`}`;
    return `  ${paint(severity.padEnd(6), colors[severity], terminal)}  ${oneLine(`${place}: ${what}`)}\n`;
  });
  const rest = findings.length - most;
  const more = rest > 0 ? pasteable(`  … and ${rest} more; \`skilled audit\` shows all\n`, terminal) : '';
  return `\nWorth a look:\n${lines.join('')}${more}`;
}

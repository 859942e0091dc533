import { counted, optional, type ErrorData } from '../core/index.ts';
import { describeIssue, type CheckResult, type Examined } from './report.ts';

/** Reports the tool servers, the file in which each one is configured, and whether it responds. */
export function checkServers({ servers: { servers, unused } }: Examined): CheckResult {
  const broken = servers.filter(({ fault }) => fault !== undefined);
  const details = servers.map(({ name, place, file, toolNames, fault }) => {
    const state = fault === undefined ? toolsText(toolNames ?? []) : faultText(fault, broken.length);
    return `${name} (${place}, from ${file}): ${state}`;
  });
  const hint = servers.length + unused.length === 0 ? howToAdd : soleHint(broken);
  return {
    id: 'servers',
    status: broken.length > 0 ? 'warn' : 'ok',
    summary: summaryOf(servers.length, broken.length),
    details: [...details, ...unused.map(describeIssue)],
    ...optional('hint', hint),
  };
}

const howToAdd =
  'A skill can describe its own server. To add one for several skills: `skilled config set --user mcpServers.<name> \'{"command": "…"}\'`';

const shownTools = 20;

function toolsText(names: readonly string[]): string {
  if (names.length === 0) return 'no tools';
  const more = names.length - shownTools;
  const shown = names.slice(0, shownTools).join(', ');
  return `${counted(names.length, 'tool')}: ${shown}${more > 0 ? `, and ${more} more` : ''}`;
}

/**
 * Formats a server's error. If several servers have errors, the hint follows each message. If only one server
 * has an error, its hint appears below the list instead.
 */
function faultText({ message, hint }: ErrorData, broken: number): string {
  return broken === 1 || hint === undefined ? message : `${message} ${hint}`;
}

function soleHint(broken: Examined['servers']['servers']): string | undefined {
  return broken.length === 1 ? broken[0]?.fault?.hint : undefined;
}

function summaryOf(all: number, broken: number): string {
  if (all === 0) return 'none configured';
  return broken === 0
    ? `${counted(all, 'tool server')} configured`
    : `${broken} of ${counted(all, 'tool server')} cannot be used`;
}

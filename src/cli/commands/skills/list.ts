import { installedSkills } from '../../../config/install.ts';
import { ownTrustBook } from '../../../config/trust.ts';
import { counted, optional, type GeneratedCode, type Skill } from '../../../core/index.ts';
import { notTrusted, trustOf } from '../../../doctor/trust.ts';
import {
  issueJson,
  markOf,
  oneLine,
  openAgent,
  paint,
  pasteableRows,
  printJson,
  skillJson,
  sourceText,
  statusColors,
  statusText,
  table,
  type Cell,
  type CliCommand,
  type Color,
  type Column,
  type CommonFlags,
  type Terminal,
  type RecursiveSkilledAgent,
} from '../../command-kit.ts';
import { originJson, originText } from '../install/origin.ts';
import { firstStep } from '../../skill-templates.ts';

/** `skilled list`: lists every skill with its status, and counts issues on stderr. */
export const list: CliCommand = {
  summary: 'List the skills that are available here.',
  usage: `Usage: skilled list [--json] [--skills <dir>]... [--only]

  skilled list
  skilled list --skills ~/my-skills --only

  --all  at a terminal: also list the built-in skills`,
  options: { all: { type: 'boolean' } },
  async run({ flags, own, terminal }) {
    await using agent = await openAgent(flags);
    const skills = flags.only ? withoutTools(agent.skills.list()) : agent.skills.list();
    const book = ownTrustBook();
    const origins = installedSkills(flags.cwd);
    if (flags.json) {
      printJson(terminal, {
        ok: true,
        version: agent.skills.version,
        skills: skills.map((skill) => {
          const status = agent.inspect(skill)?.status;
          return {
            ...skillJson(skill, undefined, trustOf(agent, book, skill)?.trust),
            ...(status === undefined ? {} : { made: { status } }),
            ...optional('origin', originJson(origins.get(skill.dir))),
          };
        }),
        diagnostics: agent.skills.diagnostics().map(issueJson),
      });
      return 0;
    }
    const untrusted = new Set(skills.filter((skill) => trustOf(agent, book, skill)?.trust === 'needed'));
    const shown = shownSkills(skills, own['all'] === true || terminal.width === undefined);
    if (shown.length > 0) terminal.out(tableOf(agent, shown, untrusted, origins, terminal));
    if (flags.quiet) return 0;
    terminal.err(pasteableRows(notes(agent, skills, untrusted, flags), terminal));
    const folded = skills.length - shown.length;
    if (folded > 0)
      terminal.err(`${pasteableRows('Built-in skills are not listed: `skilled list --all`', terminal)}\n`);
    return 0;
  },
};

/**
 * Returns the user's own skills first, then the built-in ones. If there are own skills, the built-in ones are
 * omitted unless `isAll` is set.
 */
function shownSkills(skills: readonly Skill[], isAll: boolean): readonly Skill[] {
  const [bundled, own] = [skills.filter(isBundled), skills.filter((skill) => !isBundled(skill))];
  const winners = new Set(own.map(({ shadowedBy }) => shadowedBy));
  const needed = bundled.filter(
    ({ name, status, source }) => status !== 'ready' || winners.has(`${source}:${name}`),
  );
  return [...own, ...(isAll || own.length === 0 ? bundled : needed)];
}

function isBundled({ source }: Skill): boolean {
  return source === 'bundled';
}

/** Returns all skills except the bundled ones. Keeps bundled skills that shadow another skill. */
function withoutTools(skills: readonly Skill[]): readonly Skill[] {
  const winners = new Set(skills.map(({ shadowedBy }) => shadowedBy));
  return skills.filter(
    ({ source, name, file }) => source !== 'bundled' || winners.has(file) || winners.has(`${source}:${name}`),
  );
}

const columns: readonly Column[] = [
  { title: 'NAME', most: 40, least: 13 },
  { title: 'FAMILY', most: 20, dropOrder: 2 },
  { title: 'SOURCE', dropOrder: 1 },
  { title: 'STATUS', most: 28, least: 11 },
  { title: 'DESCRIPTION' },
];

function tableOf(
  agent: RecursiveSkilledAgent,
  skills: readonly Skill[],
  untrusted: ReadonlySet<Skill>,
  origins: ReturnType<typeof installedSkills>,
  terminal: Terminal,
): string {
  const rows = skills.map((skill): readonly Cell[] => {
    const dim = skill.source === 'bundled' ? (text: string) => paint(text, 'gray', terminal) : undefined;
    const plain = (text: string): Cell => (dim === undefined ? { text } : { text, paint: dim });
    const hidden = skill.card.userInvocable === false ? '(hidden) ' : '';
    return [
      plain(oneLine(skill.name)),
      plain(skill.family),
      plain(oneLine([sourceText(skill), originText(origins.get(skill.dir))].filter(Boolean).join(' '))),
      statusCell(skill, untrusted.has(skill), agent.inspect(skill), terminal),
      plain(`${hidden}${oneLine(skill.card.description)}`),
    ];
  });
  return table(columns, rows, terminal);
}

/** Formats a skill's status. Problems with its code take precedence over missing trust. */
function statusCell(
  skill: Skill,
  isUntrusted: boolean,
  generated: GeneratedCode | undefined,
  terminal: Terminal,
): Cell {
  const { text, color } = stateOf(skill, isUntrusted, generated);
  return { text, paint: (shown) => paint(shown, color, terminal) };
}

function stateOf(
  skill: Skill,
  isUntrusted: boolean,
  generated: GeneratedCode | undefined,
): { readonly text: string; readonly color: Color } {
  const usual = { text: statusText(skill), color: statusColors[skill.status] };
  if (skill.status !== 'ready') return usual;
  const mark = markOf(generated);
  if (isUntrusted && mark?.isGrave !== true) return { text: 'needs trust', color: 'yellow' };
  return mark ?? usual;
}

/** Returns notes on the list: the totals, the issues, and how to get started. */
function notes(
  agent: RecursiveSkilledAgent,
  skills: readonly Skill[],
  untrusted: ReadonlySet<Skill>,
  flags: CommonFlags,
): string {
  const own = skills.filter((skill) => skill.source !== 'bundled');
  const issueCount = agent.skills.diagnostics().filter((issue) => issue.level !== 'info').length;
  const lines = own.length === 0 ? [...firstStep(agent, flags)] : [totals(skills, own.length, untrusted)];
  if (untrusted.size > 0)
    lines.push(
      `${notTrusted(untrusted.size)}; \`skilled trust\` shows ${untrusted.size === 1 ? 'it' : 'them'}.`,
    );
  if (issueCount > 0)
    lines.push(
      `${counted(issueCount, 'issue')}; \`skilled doctor\` shows ${issueCount === 1 ? 'it' : 'them'}.`,
    );
  return lines.map((line) => `${line}\n`).join('');
}

/** Counts the skills by status. A skill that needs trust is not counted as ready. */
function totals(skills: readonly Skill[], own: number, untrusted: ReadonlySet<Skill>): string {
  const parts = Object.keys(statusColors)
    .map((status) => ({
      status,
      number: skills.filter((skill) => skill.status === status && !untrusted.has(skill)).length,
    }))
    .filter(({ number }) => number > 0)
    .map(({ status, number }) => `${number} ${status}`);
  const bundled = skills.length - own;
  return `${counted(own, 'skill')}${bundled === 0 ? '' : ` and ${bundled} bundled`}: ${parts.join(', ')}.`;
}

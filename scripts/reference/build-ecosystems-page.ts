import path from 'node:path';
import { serversFile } from '../../src/config/trust.ts';
import { requirementKeys } from '../../src/core/descriptor/card.ts';
import { unusedFields } from '../../src/core/descriptor/unused-fields.ts';
import { modelNames } from '../../src/core/model/sources.ts';
import { otherPrograms, type OtherProgram } from '../../src/core/other-programs.ts';
import { foreignTools, type ForeignTool } from '../../src/core/policy/foreign-tools.ts';
import { hookEvents } from '../../src/core/descriptor/hooks.ts';
import { extensionFields, standardFields } from '../../src/families/agent-skill/lint.ts';
import { placeholders } from '../../src/families/agent-skill/render/placeholders.ts';
import { builtinFamilies } from '../../src/families/index.ts';
import { fieldsByProgram } from '../../src/families/subagent/settings.ts';
import { descriptorsOf } from '../../src/skills/discover/listing.ts';
import { manifestFiles } from '../../src/skills/discover/plugin-manifest.ts';
import { projectBases, userBases, type SkillBase } from '../../src/skills/discover/roots.ts';
import { codeOf, pageHead, tableOf } from './markdown.ts';
import { readParts, shownAs } from './read-parts.ts';
import { unreadFiles } from './unread-files.ts';

/** The cells of a table row. Rows without names are omitted. */
interface Row {
  readonly what: string;
  readonly names: readonly string[];
  readonly note?: string;
}

/** Builds the page that lists, for each other program, what skilled reads, uses and ignores. */
export async function buildEcosystemsPage(): Promise<string> {
  return [
    pageHead(
      'Compatibility with other programs',
      'the tables that skilled uses, and scripts/reference/unread-files.ts',
    ),
    `Other programs have their own folders, fields and tools. skilled reads the \`SKILL.md\` files of all of them, with the fields of the standard: ${listOf(standardFields)}. It also reads each folder on this page for skills of its [own kinds](descriptors.md). The tables list the rest. [Coming from other programs](../coming-from.md) compares commands and behaviour.\n`,
    'Fields without an effect are kept, and `skilled validate --strict` reports them. Tools that are not available are reported as `list.unavailable-tool` or `subagent.tool`.\n',
    ...(await Promise.all(sections.map(sectionOf))),
  ].join('\n');
}

/** The programs in each section. pi-subagents shares a section with pi, because it is an extension of pi. */
const sections: readonly (readonly OtherProgram[])[] = otherPrograms
  .filter((program) => program !== 'pi-subagents')
  .map((program) => (program === 'pi' ? [program, 'pi-subagents'] : [program]));

async function sectionOf(programs: readonly OtherProgram[]): Promise<string> {
  const has = (others: readonly OtherProgram[]): boolean => others.some((one) => programs.includes(one));
  return [
    `## ${programs.join(' and ')}\n`,
    partOf('Read and acted on', 'in skilled', [
      ...folderRows('a project', '', projectBases, has),
      ...folderRows('your home folder', '~', userBases, has),
      ...(has(['Claude Code']) ? claudeFiles : []),
      ...(has(['AchillesAgentLib']) ? await descriptorRows() : []),
      ...fieldRows(has),
      ...nameRows(has),
      ...toolRows(has),
    ]),
    partOf('Read and not acted on', 'why', [...unusedRows(has), ...missingRows(has)]),
    partOf(
      'Not read',
      'instead',
      unreadFiles
        .filter(({ program }) => has([program]))
        .map(({ files = [], what = '', instead }) => ({
          what: '',
          names: what === '' ? files.map(codeOf) : [what],
          note: instead,
        })),
    ),
  ]
    .filter((part) => part !== '')
    .join('\n');
}

type IsIncluded = (programs: readonly OtherProgram[]) => boolean;

function partOf(title: string, noteTitle: string, rows: readonly Row[]): string {
  const filled = rows.filter(({ names }) => names.length > 0);
  if (filled.length === 0) return '';
  return `**${title}**\n\n${tableOf(
    ['what', 'names', noteTitle],
    filled.map(({ what, names, note = '' }) => [what, names.join(', '), note]),
  )}`;
}

/**
 * Returns rows for the folders in a project or in the home folder. Subagents have folders that no other
 * family has.
 */
function folderRows(
  where: string,
  start: string,
  bases: readonly SkillBase[],
  has: IsIncluded,
): readonly Row[] {
  const { byFolder, commands } = descriptorsOf(builtinFamilies);
  const at = (...parts: readonly string[]): string => codeOf(path.posix.join(start, ...parts));
  const searched = bases.filter(({ agents = [] }) => has(agents)).map(({ folder }) => folder);
  const agents = [...byFolder].flatMap(([kind, { descriptor }]) => {
    const flat = descriptor !== undefined && 'folder' in descriptor ? (descriptor.alsoIn ?? []) : [];
    return searched.flatMap((folder) => [
      at(folder, kind),
      ...(flat.includes(folder) ? [at(folder, '*.md')] : []),
    ]);
  });
  return [
    {
      what: `skills in ${where}`,
      names: bases.filter(({ skills }) => has(skills)).map(({ folder }) => at(folder, 'skills')),
    },
    { what: `subagents in ${where}`, names: agents },
    {
      what: `commands in ${where}`,
      names: [...commands].flatMap(([kind, { within }]) =>
        within.filter((folder) => searched.includes(folder)).map((folder) => at(folder, kind)),
      ),
    },
  ];
}

const claudeFiles: readonly Row[] = [
  {
    what: 'plugins and marketplaces',
    names: Object.values(manifestFiles).map(codeOf),
    note: '[plugins](../discovery.md#plugins)',
  },
  {
    what: 'MCP servers of a project',
    names: [codeOf(serversFile)],
    note: 'once you [trust the project](../safety.md#a-trusted-project)',
  },
];

/**
 * Returns rows for the descriptors of all families. The text above the table covers the standard's
 * `SKILL.md`.
 */
async function descriptorRows(): Promise<readonly Row[]> {
  const rows = builtinFamilies.map(async ({ id, descriptor }): Promise<readonly Row[]> => {
    if (descriptor === undefined || !('file' in descriptor) || descriptor.loose === true) return [];
    const file = `[\`${descriptor.file}\`](descriptors.md#${id})`;
    return (await readParts(id)).map(({ kind, names }) => ({
      what: `${kind}s of ${file}`,
      names: Object.keys(names).map((name) => shownAs(kind, name)),
    }));
  });
  return (await Promise.all(rows)).flat();
}

function fieldRows(has: IsIncluded): readonly Row[] {
  const ofAgents = Object.entries(fieldsByProgram).filter(([program]) => has([program as OtherProgram]));
  return [
    {
      what: 'fields of skills',
      names: named(extensionFields, has),
      note: '[fields](descriptors.md#agent-skill)',
    },
    {
      what: 'fields of subagents',
      names: ofAgents.flatMap(([, fields]) => fields.map(codeOf)),
      note: '[fields](descriptors.md#subagent)',
    },
    {
      what: 'requirements in the metadata',
      names: named(requirementKeys, has),
      note: '[requirements](../discovery.md#requirements)',
    },
  ];
}

function named(
  fields: Readonly<Record<string, readonly OtherProgram[]>>,
  has: IsIncluded,
): readonly string[] {
  return Object.keys(fields)
    .filter((field) => has(fields[field] ?? []))
    .map(codeOf);
}

function nameRows(has: IsIncluded): readonly Row[] {
  return [
    {
      what: 'variables',
      names: placeholders.filter(({ programs }) => has(programs)).map(({ text }) => codeOf(text)),
      note: '[arguments](../../src/families/agent-skill/README.md#arguments)',
    },
    {
      what: 'events of hooks',
      names: hookEvents.filter(({ programs }) => has(programs)).map(({ name }) => codeOf(name)),
      note: '[hooks](../../src/families/agent-skill/README.md#hooks)',
    },
    ...modelNames
      .filter(({ programs }) => has(programs))
      .map(({ name, tier }) => ({ what: 'model', names: [codeOf(name)], note: codeOf(tier) })),
  ];
}

function toolRows(has: IsIncluded): readonly Row[] {
  const usable = foreignTools.filter(({ programs, tools }) => has(programs) && tools.length > 0);
  return grouped(usable, ({ tools }) => listOf(tools), 'tools');
}

function missingRows(has: IsIncluded): readonly Row[] {
  const missing = foreignTools.filter(({ programs, tools }) => has(programs) && tools.length === 0);
  return grouped(
    missing,
    ({ missing: lacks = '', hint = '' }) => `Not available: ${lacks}. ${hint}`,
    'tools',
  );
}

function unusedRows(has: IsIncluded): readonly Row[] {
  const unused = unusedFields.filter(({ program }) => has([program]));
  const groups = Map.groupBy(unused, ({ kind, why }) => `${kind} ${why}`);
  return [...groups.values()].map((fields) => ({
    what: fields[0]?.kind === 'agent' ? 'fields of subagents' : 'fields of skills',
    names: fields.map(({ field }) => codeOf(field)),
    note: fields[0]?.why ?? '',
  }));
}

/** Returns one row for each group of tools with the same note. */
function grouped(
  tools: readonly ForeignTool[],
  noteOf: (tool: ForeignTool) => string,
  what: string,
): readonly Row[] {
  return [...Map.groupBy(tools, noteOf)].map(([note, group]) => ({
    what,
    names: group.map(({ name }) => codeOf(name)),
    note,
  }));
}

function listOf(names: readonly string[]): string {
  return names.map(codeOf).join(', ');
}

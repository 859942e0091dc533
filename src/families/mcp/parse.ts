import { optional } from '../../core/collections.ts';
import type { Bundle } from '../../core/descriptor/bundle.ts';
import { readHeaded } from '../../core/descriptor/read-descriptor.ts';
import { scriptIn, valuesOf } from '../../core/descriptor/values.ts';
import type { Parsed } from '../../core/family.ts';
import type { SkillCard } from '../../core/skill.ts';
import { findScriptIssues } from '../../engines/sop/language/find-script-issues.ts';
import type { McpDefinition } from './definition.ts';
import { serversIn } from './servers.ts';
import { allowedNames, findToolIssues, rulesOf } from './tool-list.ts';

const values = {
  summary: [],
  instructions: ['Guidance', 'System-Prompt', 'Overview', 'MCP-Guidance'],
  'allowed-tools': ['Tool-Allowlist', 'Tool-Allow-List', 'Tools'],
  script: ['Light-SOP-Lang', 'LightSOPLang', 'Plan-Script', 'Plan SOPlang'],
  servers: [],
  help: [],
};
/** The sections that it reads, each with its other spellings; all but the description may stand in the frontmatter. */
export const sections = { description: [], ...values };

/** Reads an mskill.md; an absent list stays absent, and a list that is there grants exactly what it names. */
export function parse(bundle: Bundle): Parsed<McpDefinition> {
  const headed = readHeaded(bundle, sections, ['description', 'summary', 'instructions']);
  const { name, issues } = headed;
  const { given, text, list, lineOf } = valuesOf(bundle, headed, values);
  const allowedTools = list('allowed-tools');
  const card: SkillCard = {
    ...headed.card,
    ...optional('allowedTools', allowedTools && rulesOf(allowedTools)),
    allowedSkills: [],
    fromOutside: true,
  };
  if (!headed.usable) return { name, card, definition: undefined, issues };
  const source = {
    field: headed.fields.raw('servers'),
    section: headed.sections.get('servers'),
    line: lineOf('servers'),
    names: () => list('servers'),
  };
  const servers = serversIn(source, issues);
  issues.push(...findToolIssues(allowedTools ?? [], servers, lineOf('allowed-tools')));
  const script = scriptIn(given('script'), issues);
  if (script !== undefined) issues.push(...findScriptIssues(script, allowedNames(allowedTools)));
  const definition = {
    ...optional('instructions', text('instructions')),
    ...optional('allowedTools', allowedTools),
    ...optional('script', script),
    ...optional('servers', servers),
    ...optional('help', text('help')),
  };
  return { name, card, definition, issues };
}

import {
  describeFromBody,
  didYouMean,
  fitDescription,
  isKnownEffort,
  normaliseKey,
  optional,
  parseRule,
  readCard,
  type Bundle,
  type Fields,
  type Frontmatter,
  type Issue,
  type Json,
  type JsonObject,
  type Parsed,
} from '../../core/index.ts';
import {
  effortFor,
  isSubagentKey,
  readSettings,
  type SubagentDefinition,
  type SubagentSettings,
} from './settings.ts';
import { buildCard, isBareName, isKnownEntry, lacksReader, nameReader, toolWords } from './tool-rules.ts';

/** Reads a subagent file: settings in the head, the system prompt in the body. */
export function parse(bundle: Bundle): Parsed<SubagentDefinition> {
  const issues: Issue[] = [...bundle.issues, ...bundle.head.issues];
  const { settings, fields, head } = readSettings(bundle, issues);
  const name = settings.name ?? '';
  const description =
    settings.description === undefined
      ? describeFromBody(bundle, issues)
      : fitDescription(settings.description, issues, bundle.head.lineOf('description'));
  const card = {
    ...readCard(cardFields(fields), description, bundle, issues),
    ...buildCard(settings),
    ...(settings.description === undefined ? { listed: false as const } : {}),
  };
  issues.push(...toolIssues(settings, head), ...thinkingIssues(settings, head));
  const fault = faultOf(bundle, description);
  if (fault !== undefined) issues.push(fault);
  if (fault !== undefined || bundle.head.refused) return { name, card, definition: undefined, issues };
  return { name, card, definition: definitionOf(bundle, settings), issues };
}

function definitionOf(bundle: Bundle, settings: SubagentSettings): SubagentDefinition {
  const { name, description, ...rest } = settings;
  return {
    skillInjection: 'full',
    systemPromptMode: 'replace',
    inheritProjectContext: false,
    inheritSkills: false,
    ...rest,
    systemPrompt: () => bundle.body.trim(),
    extra: extraOf(bundle),
  };
}

function extraOf(bundle: Bundle): JsonObject {
  const extra = bundle.head.keys
    .filter((key) => !isSubagentKey(key))
    .map((key): [string, Json] => [key, bundle.head.fields.get(normaliseKey(key)) ?? null]);
  return Object.fromEntries(extra);
}

/** `output` is a schema only when it is a map; as text it names a file and is none of the card's business. */
function cardFields(fields: Fields): Fields {
  const isFile = typeof fields.raw('output') === 'string';
  return { ...fields, map: (key) => (isFile && key === 'output' ? undefined : fields.map(key)) };
}

function faultOf(bundle: Bundle, description: string): Issue | undefined {
  if (!bundle.head.present) {
    return {
      level: 'error',
      code: 'subagent.frontmatter',
      message: 'The file does not start with frontmatter, so it is not a subagent.',
      line: 1,
      hint: 'Start it with a --- line, a name and a description.',
    };
  }
  if (bundle.head.refused || description !== '') return undefined;
  return {
    level: 'error',
    code: 'descriptor.empty',
    message: 'The file has no text to describe a subagent with.',
    line: 1,
    hint: 'Add a description to the frontmatter.',
  };
}

/** A finding for a `thinking` that no model is known to take; it is passed on all the same. */
function thinkingIssues({ thinking }: SubagentSettings, head: Frontmatter): readonly Issue[] {
  if (thinking === undefined || isKnownEffort(effortFor(thinking))) return [];
  return [
    {
      level: 'warning',
      code: 'effort.unknown',
      message: `"thinking: ${thinking}" is none that models are known to take.`,
      ...optional('line', head.lineOf('thinking')),
      hint: 'Write off, minimal, low, medium, high or xhigh.',
    },
  ];
}

/** Findings about the tools of a subagent: names that mean no tool, and listed skills that nothing can read. */
function toolIssues(settings: SubagentSettings, head: Frontmatter): readonly Issue[] {
  const unknown = (['tools', 'excludeTools'] as const).flatMap((key) =>
    (settings[key] ?? [])
      .filter((entry) => !isKnownEntry(entry))
      .map((entry) => unknownTool(entry, key, head)),
  );
  return lacksReader(settings) ? [...unknown, noReader(settings, head)] : unknown;
}

/** It may be a tool of the host or a skill, which only shows when it is called. */
function unknownTool(entry: string, key: string, head: Frontmatter): Issue {
  const isName = isBareName(entry);
  const meaning =
    isName || parseRule(entry) !== undefined ? 'is not a known tool' : 'is no tool and means nothing';
  return {
    level: 'warning',
    code: 'subagent.tool',
    message: `"${entry}" in "${key}" ${meaning}.`,
    ...optional('line', head.lineOf(key)),
    hint:
      didYouMean(entry, toolWords) ??
      (isName ? `Write Skill(${entry}) if a skill is meant.` : 'Write Tool, Tool(pattern) or Skill(name).'),
  };
}

function noReader({ tools }: SubagentSettings, head: Frontmatter): Issue {
  const isExcluded = tools === undefined || nameReader(tools);
  return {
    level: 'warning',
    code: 'subagent.reader',
    message:
      'Its skills are only listed, and it has no tool to read them with; it cannot be called like this.',
    ...optional('line', head.lineOf(isExcluded ? 'excludeTools' : 'tools')),
    hint: 'Add read to its tools, or write "skillInjection: full".',
  };
}

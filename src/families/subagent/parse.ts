import {
  describeFromBody,
  didYouMean,
  findForeignTool,
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
import {
  buildCard,
  isBareName,
  isKnownEntry,
  lacksReader,
  nameReader,
  builtinToolNames,
} from './tool-rules.ts';

/** Reads a subagent file: settings in the frontmatter, the system prompt in the body. */
export function parse(bundle: Bundle): Parsed<SubagentDefinition> {
  const issues: Issue[] = [...bundle.issues, ...bundle.head.issues];
  const { settings, fields, head } = readSettings(bundle, issues);
  const name = nameIn(settings, bundle);
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

/**
 * Returns the subagent's name, qualified with its package. If the file declares a package but no name, the
 * file's name is used.
 */
function nameIn({ name = '', package: qualifier }: SubagentSettings, { stem }: Bundle): string {
  return qualifier === undefined ? name : `${qualifier}.${name || stem}`;
}

function definitionOf(bundle: Bundle, settings: SubagentSettings): SubagentDefinition {
  const { name, package: qualifier, aliases, description, ...rest } = settings;
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

/**
 * Returns the fields for the card. An `output` map is a schema and belongs on the card. An `output` string is
 * a file name and is left out.
 */
function cardFields(fields: Fields): Fields {
  const isFile = typeof fields.raw('output') === 'string';
  return { ...fields, map: (key) => (isFile && key === 'output' ? undefined : fields.map(key)) };
}

function faultOf(bundle: Bundle, description: string): Issue | undefined {
  if (!bundle.head.present) {
    return {
      level: 'error',
      code: 'subagent.frontmatter',
      message: 'The file has no frontmatter, so it is not a subagent.',
      line: 1,
      hint: 'Start the file with a --- line, a name and a description.',
    };
  }
  if (bundle.head.refused || description !== '') return undefined;
  return {
    level: 'error',
    code: 'descriptor.empty',
    message: 'The file has no description and no text to derive one from.',
    line: 1,
    hint: 'Add a description to the frontmatter.',
  };
}

/** Returns an issue for a `thinking` level that no known model accepts. The level is still passed on. */
function thinkingIssues({ thinking }: SubagentSettings, head: Frontmatter): readonly Issue[] {
  if (thinking === undefined || isKnownEffort(effortFor(thinking))) return [];
  return [
    {
      level: 'warning',
      code: 'effort.unknown',
      message: `"thinking: ${thinking}" is not a known thinking level.`,
      ...optional('line', head.lineOf('thinking')),
      hint: 'Use off, minimal, low, medium, high or xhigh.',
    },
  ];
}

/** Finds issues with a subagent's tools: unknown names, and listed skills that no tool can read. */
function toolIssues(settings: SubagentSettings, head: Frontmatter): readonly Issue[] {
  const unknown = (['tools', 'excludeTools'] as const).flatMap((key) =>
    (settings[key] ?? [])
      .filter((entry) => !isKnownEntry(entry))
      .map((entry) => unknownTool(entry, key, head)),
  );
  return lacksReader(settings) ? [...unknown, noReader(settings, head)] : unknown;
}

/**
 * Creates a warning for an unknown tool. It is not an error, because the name can refer to a host tool or
 * skill, which is known only when the subagent runs.
 */
function unknownTool(entry: string, key: string, head: Frontmatter): Issue {
  const isName = isBareName(entry);
  const foreign = findForeignTool(parseRule(entry)?.tool ?? entry);
  if (foreign !== undefined) {
    const { programs, missing = '', hint } = foreign;
    return {
      level: 'warning',
      code: 'subagent.tool',
      message: `"${entry}" in "${key}" is a tool of ${programs.join(' and ')}. Not available here: ${missing}.`,
      ...optional('line', head.lineOf(key)),
      ...optional('hint', hint),
    };
  }
  const meaning =
    isName || parseRule(entry) !== undefined ? 'is not a known tool' : 'is not a tool rule and has no effect';
  return {
    level: 'warning',
    code: 'subagent.tool',
    message: `"${entry}" in "${key}" ${meaning}.`,
    ...optional('line', head.lineOf(key)),
    hint:
      didYouMean(entry, builtinToolNames) ??
      (isName
        ? `If it is a skill, write Skill(${entry}).`
        : 'Use one of these forms: Tool, Tool(pattern) or Skill(name).'),
  };
}

function noReader({ tools }: SubagentSettings, head: Frontmatter): Issue {
  const isExcluded = tools === undefined || nameReader(tools);
  return {
    level: 'warning',
    code: 'subagent.reader',
    message:
      'The subagent cannot be called because its skills are only listed and it has no tool to read them.',
    ...optional('line', head.lineOf(isExcluded ? 'excludeTools' : 'tools')),
    hint: 'Add "read" to the tools of the subagent, or set "skillInjection: full".',
  };
}

import type { Bundle } from '../../core/descriptor/bundle.ts';
import { fitDescription, readCard } from '../../core/descriptor/card.ts';
import { describeFromBody } from '../../core/descriptor/read-descriptor.ts';
import type { Parsed } from '../../core/family.ts';
import type { Fields } from '../../core/descriptor/fields.ts';
import type { Issue } from '../../core/issue.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { normaliseKey } from '../../core/names.ts';
import { buildCard } from './card.ts';
import type { SubagentDefinition, SubagentSettings } from './definition.ts';
import { readSettings } from './settings.ts';
import { isSubagentKey } from './spelling.ts';
import { thinkingIssues } from './thinking-issues.ts';
import { toolIssues } from './tool-issues.ts';

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

import {
  badInput,
  blankList,
  describeFromBody,
  fieldsOf,
  fitDescription,
  isKnownEffort,
  isSkillName,
  normaliseName,
  optional,
  readCard,
  schemaOf,
  type Bundle,
  type DefinedSkill,
  type Fields,
  type Frontmatter,
  type Issue,
  type Json,
  type JsonObject,
  type Parsed,
  type SkillCard,
} from '../../core/index.ts';
import { readHooks, type Hook } from './hooks.ts';

/** Reads a SKILL.md; the body is only decoded when the head has no description. */
export function parse(bundle: Bundle): Parsed<AgentSkillDefinition> {
  const issues: Issue[] = [...bundle.issues, ...bundle.head.issues];
  const fields = fieldsOf(bundle.head, issues);
  const name = fields.text('name')?.trim() ?? '';
  const declared = fields.text('description')?.trim() ?? '';
  const description =
    declared === ''
      ? describeFromBody(bundle, issues)
      : fitDescription(declared, issues, bundle.head.lineOf('description'));
  const card: SkillCard = {
    ...readCard(fields, description, bundle, issues),
    ...optional('allowedTools', toolRules('allowed-tools', fields, bundle, issues)),
    ...optional('disallowedTools', toolRules('disallowed-tools', fields, bundle, issues)),
    ...(fields.flag('enforce-tools') === true ? { enforceTools: true } : {}),
    ...optional('forks', readForks(fields, bundle.head, issues)),
  };
  issues.push(...blankList(bundle.head, 'allowed-tools'));
  if (bundle.head.refused) return { name, card, definition: undefined, issues };
  if (description === '') {
    issues.push({
      level: 'error',
      code: 'descriptor.empty',
      message: 'The file has no text to name or describe a skill with.',
      line: 1,
      hint: 'Add frontmatter with a name and a description.',
    });
    return { name, card, definition: undefined, issues };
  }
  checkName(name, bundle, issues);
  const listed = bundle.loose && declared === '' ? { ...card, listed: false as const } : card;
  return { name, card: listed, definition: definitionOf(name, card, bundle, fields, issues), issues };
}

/** A name that is missing or used in another form than written is worth a finding, never a reason to skip the skill. */
function checkName(name: string, bundle: Bundle, issues: Issue[]): void {
  if (isSkillName(name)) return;
  const line = bundle.head.lineOf('name');
  const used = normaliseName(name) || normaliseName(bundle.stem);
  const called = used === '' ? 'a name is made up' : `the skill is called "${used}"`;
  issues.push({
    level: 'warning',
    code: name === '' ? 'name.derived' : 'name.form',
    message:
      name === ''
        ? `No name is given by the ${bundle.loose ? 'file' : 'descriptor'}; ${called}.`
        : `The name "${name}" breaks the rules of the standard; ${called}.`,
    ...optional('line', line),
    hint: 'Use 1 to 64 lower-case letters, digits and single hyphens inside.',
  });
}

function definitionOf(
  name: string,
  { input, argumentNames }: SkillCard,
  bundle: Bundle,
  fields: Fields,
  issues: Issue[],
): AgentSkillDefinition {
  const { head } = bundle;
  const hooks = readHooks(fields, head.lineOf('hooks'), issues);
  return {
    name: normaliseName(name) || bundle.stem,
    body: () => bundle.body,
    bodyLine: head.bodyLine,
    hasFolder: !bundle.loose && bundle.dir !== '',
    ...optional('argumentNames', argumentNames),
    ...optional('input', input === undefined ? undefined : () => input),
    ...optional('model', fields.text('model')?.trim()),
    ...optional('effort', readEffort(fields, head, issues)),
    ...optional('agent', fields.text('agent')?.trim()),
    ...optional('shell', fields.word<Shell>('shell', ['bash', 'sh', 'powershell'])),
    ...optional('maxTicks', ticksIn(fields, head, issues)),
    ...optional('hooks', hooks.length === 0 ? undefined : hooks),
    ...optional('allowDash', fields.flag('allow-dash')),
  };
}

/** Model steps at most; none at all would be no skill. */
function ticksIn(fields: Fields, head: Frontmatter, issues: Issue[]): number | undefined {
  const ticks = fields.wholeNumber('maxticks') ?? fields.wholeNumber('max-ticks');
  if (ticks !== 0) return ticks;
  issues.push({
    level: 'warning',
    code: 'field.type',
    message: '"maxTicks" should be a whole number above zero; it was left out.',
    ...optional('line', head.lineOf('maxticks') ?? head.lineOf('max-ticks')),
  });
  return undefined;
}

/** Takes over skills made in code that consist of instructions for a model. */
export function adopt(made: DefinedSkill): AgentSkillDefinition | undefined {
  const { instructions, name } = made;
  if (instructions === undefined) return undefined;
  return {
    name,
    body: () => instructions,
    bodyLine: 1,
    hasFolder: false,
    ...optional('argumentNames', made.argumentNames),
    ...inputOf(made),
    ...optional('maxTicks', made.maxTicks),
  };
}

/** Its own schema counts, with its defaults and conversions; it is made once, when it is first needed. */
function inputOf({ name, input: given }: DefinedSkill): Pick<AgentSkillDefinition, 'input' | 'fit'> {
  if (given === undefined) return {};
  let schema: JsonObject | undefined;
  return {
    input: () => (schema ??= schemaOf(given)),
    fit: (input: Json) => {
      const { success, data, error } = (typeof given === 'function' ? given() : given).safeParse(input);
      if (success) return data;
      throw badInput({ skill: name }, error.issues);
    },
  };
}

/** What a SKILL.md says beyond its card; the body is rendered when the skill is used. */
export interface AgentSkillDefinition {
  /** As declared, else the name of its folder or file. */
  readonly name: string;
  readonly body: () => string;
  /** One-based, in the file. */
  readonly bodyLine: number;
  /** The folder around it is its own; false for a single file among others and for one made in code. */
  readonly hasFolder: boolean;
  readonly argumentNames?: readonly string[];
  /** JSON Schema of the input. */
  readonly input?: () => JsonObject | undefined;
  /** The input as the schema of a skill made in code takes it; throws `usage.bad-input`. */
  readonly fit?: (input: Json) => unknown;
  readonly model?: string;
  readonly effort?: string;
  readonly agent?: string;
  /** The shell that its commands ask for; whichever there is unless said. */
  readonly shell?: Shell;
  readonly maxTicks?: number;
  readonly hooks?: readonly Hook[];
  /** Arguments that begin with a dash may stand bare in commands. */
  readonly allowDash?: boolean;
}

/** Shells that a file can name; `powershell` runs nowhere here. */
type Shell = 'bash' | 'sh' | 'powershell';

/** How hard the model is to think; a word that providers do not know is passed on, with a finding. */
function readEffort(fields: Fields, head: Frontmatter, issues: Issue[]): string | undefined {
  const effort = fields.text('effort')?.trim().toLowerCase();
  if (effort === undefined || effort === '') return undefined;
  if (!isKnownEffort(effort)) {
    issues.push({
      level: 'warning',
      code: 'effort.unknown',
      message: `The effort "${effort}" is none that models are known to take.`,
      ...optional('line', head.lineOf('effort')),
      hint: 'Write low, medium, high, xhigh or max.',
    });
  }
  return effort;
}

/** Whether a skill works apart from the conversation that calls it, and whether that one waits. */
function readForks(fields: Fields, head: Frontmatter, issues: Issue[]): SkillCard['forks'] {
  const context = fields.word('context', ['fork', 'inline']);
  const inBackground = fields.flag('background') === true;
  if (context === 'fork') return inBackground ? 'background' : 'awaited';
  if (inBackground) {
    issues.push({
      level: 'warning',
      code: 'field.unused',
      message: '"background" has no effect without "context: fork".',
      ...optional('line', head.lineOf('background')),
      hint: 'Add "context: fork", or remove it.',
    });
  }
  return undefined;
}

const rule = /^[A-Za-z][\w.*-]*(?:\((?:[^()]|\([^()]*\))*\))?$/;
const ownFolder = /\$\{(?:SKILLED|CLAUDE|AGENTICK)_SKILL_DIR\}/g;
const plainFolder = /^[\w@%+=:,./-]+$/; // nothing that means something else in a rule

/**
 * The tool rules of a field; an entry that does not parse is an error and has no effect, nor has an unreadable list.
 * A variable for the folder of the skill is that folder.
 */
function toolRules(
  key: string,
  fields: Fields,
  { head, dir, loose }: Bundle,
  issues: Issue[],
): readonly string[] | undefined {
  if (!fields.has(key)) return undefined;
  const entries = fields.list(key) ?? [];
  const rules = entries.filter((entry) => {
    if (rule.test(entry)) return true;
    issues.push({
      level: 'error',
      code: 'field.tool-rule',
      message: `"${entry}" in "${key}" is not a tool rule and has no effect.`,
      ...optional('line', head.lineOf(key)),
      hint: 'Write Tool or Tool(pattern), such as Read or Bash(git add *).',
    });
    return false;
  });
  return loose || !plainFolder.test(dir) ? rules : rules.map((entry) => entry.replace(ownFolder, () => dir));
}

import {
  nameInList,
  optional,
  readHeaded,
  readToolBound,
  scriptIn,
  skillNames,
  valuesOf,
  type AssistantMode,
  type Bundle,
  type GivenText,
  type Issue,
  type Parsed,
  type SkillCard,
} from '../../core/index.ts';
import { findScriptIssues, type AllowedNames } from '../../engines/sop/language/find-script-issues.ts';

const values = {
  summary: [],
  instructions: ['Guidance', 'Overview', 'Orchestration-Guidance'],
  session: ['Session Type'],
  'allowed-skills': ['Skill-Allowlist', 'Skill-Allow-List', 'Skills'],
  'allowed-tools': [],
  preparation: ['Prep', 'Context-Prep'],
  'allowed-prep-skills': ['Allowed-Preparation-Skills', 'Prep-Skills'],
  intents: ['Intentions', 'Mappings'],
  script: ['Light-SOP-Lang', 'LightSOPLang', 'Plan-Script', 'Plan SOPlang'],
  help: [],
};
/** The recognised sections and their aliases. All except the description can also be frontmatter fields. */
export const sections = { description: [], ...values };

/** Parses an `oskill.md` file. A missing list and an empty list have different meanings. */
export function parse(bundle: Bundle): Parsed<OrchestratorDefinition> {
  const headed = readHeaded(bundle, sections, ['description', 'summary', 'instructions']);
  const { name, issues } = headed;
  const { given, text, list, entries, lineOf } = valuesOf(bundle, headed, values);
  const allowed = skillNames(entries('allowed-skills'), issues);
  const prepares = skillNames(entries('allowed-prep-skills'), issues);
  const [allowedSkills, allowedPrepSkills] = [
    allowed && [...allowed.keys()],
    prepares && [...prepares.keys()],
  ];
  const preparation = text('preparation') || undefined; // An empty section is treated as missing.
  const intents = list('intents');
  const toolBound = readToolBound(headed, bundle, 'allowed-tools');
  const card = buildCard(
    { ...headed.card, ...optional('toolBound', toolBound) },
    {
      allowed,
      prepares: preparation === undefined ? undefined : prepares,
      intents,
    },
  );
  if (!headed.usable) return { name, card, definition: undefined, issues };
  if (allowedPrepSkills !== undefined && preparation === undefined)
    issues.push(nothingToPrepare(lineOf('allowed-prep-skills')));
  const script = scriptIn(given('script'), issues);
  const session = sessionIn(given('session'), issues);
  if (script !== undefined) {
    issues.push(...findScriptIssues(script, allowedNames(allowedSkills)));
    if (preparation !== undefined) issues.push(besideScript('A preparation', lineOf('preparation')));
    if (session === 'loop') issues.push(besideScript('A loop', lineOf('session')));
  }
  const definition = {
    description: wholeDescription(bundle, headed.sections.get('description')?.text, card.description),
    ...optional('instructions', text('instructions')),
    session,
    ...optional('allowedSkills', allowedSkills),
    ...optional('preparation', preparation),
    ...optional('allowedPrepSkills', allowedPrepSkills),
    ...optional('intents', intents),
    ...optional('script', script),
    ...optional('help', text('help')),
  };
  return { name, card, definition, issues };
}

/** Reads the session type. Only the word "loop" selects a loop; anything else selects a plan. */
function sessionIn(given: GivenText | undefined, issues: Issue[]): 'loop' | 'sop' {
  if (given === undefined) return 'sop';
  const session = given.text
    .trim()
    .replace(/^[-*+]\s+/, '')
    .replace(/^(`|\*\*)(.*)\1$/, '$2')
    .toLowerCase();
  if (session === 'loop') return 'loop';
  if (session !== 'sop') {
    issues.push({
      level: 'warning',
      code: 'session.unknown',
      message: 'The session is neither "loop" nor "sop"; "sop" (a plan) is used.',
      line: given.line,
      hint: 'Set the session to "loop" or "sop".',
    });
  }
  return 'sop';
}

function wholeDescription(bundle: Bundle, section: string | undefined, short: string): string {
  return bundle.head.fields.has('description') || section === undefined || section === '' ? short : section;
}

/**
 * Creates the issue for a setting that has no effect because the file contains a script, which runs without a
 * model.
 */
function besideScript(what: string, line: number): Issue {
  return {
    level: 'warning',
    code: 'section.unused',
    message: `${what} has no effect in a skill with a script, because the script runs as written.`,
    line,
    hint: 'Keep either this part or the script.',
  };
}

function nothingToPrepare(line: number): Issue {
  return {
    level: 'warning',
    code: 'section.unused',
    message: '"Allowed Prep Skills" has no effect without a "Preparation" section.',
    line,
    hint: 'Add the section, or remove the list.',
  };
}

/**
 * The contents of an `oskill.md` file, apart from its card. A missing list and an empty list have different
 * meanings.
 */
export interface OrchestratorDefinition {
  /** The full description. The card contains only its first paragraph. */
  readonly description: string;
  readonly instructions?: string;
  readonly session: 'loop' | 'sop';
  /** The skills that the orchestrator may call. If absent, it may call all other skills; if empty, none. */
  readonly allowedSkills?: readonly string[];
  readonly preparation?: string;
  /**
   * The skills that the preparation may call. If absent, it may call the orchestrator's skills; if empty,
   * none.
   */
  readonly allowedPrepSkills?: readonly string[];
  /** Example requests that serve as hints for routing. */
  readonly intents?: readonly string[];
  /** A script that runs without a planner, with the line number of its first line. */
  readonly script?: GivenText;
  readonly help?: string;
  /**
   * The names of the skills that fit the prompt, best match first. Set only if the orchestrator was created
   * for one prompt.
   */
  readonly bestFirst?: readonly string[];
  /** The assistant's mode for a prompt that no skill fits. Set only if the orchestrator is the assistant. */
  readonly mode?: AssistantMode;
}

/**
 * Returns the skills that a script may call, with or without qualifiers, or undefined if there is no list.
 */
function allowedNames(listed: readonly string[] | undefined): AllowedNames | undefined {
  if (listed === undefined) return undefined;
  const known = new Set(listed.flatMap((name) => [name, withoutQualifier(name)]));
  return {
    names: listed,
    has: (command) => {
      const name = nameInList(command);
      return name !== '' && (known.has(name) || known.has(withoutQualifier(name)));
    },
  };
}

function withoutQualifier(name: string): string {
  return name.slice(Math.max(name.lastIndexOf(':'), name.lastIndexOf('/')) + 1);
}

/** The lists in an orchestrator's file that affect its card. */
interface OnCard {
  /** The allowed skills with their lines, or undefined if there is no list. */
  readonly allowed: ReadonlyMap<string, number> | undefined;
  /** The skills that the preparation may call, with their lines, or undefined if there is no list. */
  readonly prepares: ReadonlyMap<string, number> | undefined;
  readonly intents: readonly string[] | undefined;
}

/**
 * Builds the card. Its allowed skills are those of the orchestrator and its preparation. The intents become
 * examples and part of `whenToUse`.
 */
function buildCard(card: SkillCard, { allowed, prepares, intents = [] }: OnCard): SkillCard {
  const whenToUse = [card.whenToUse, meantFor(intents)].filter((part) => part !== undefined).join(' ');
  const named = [...(allowed ?? []), ...(prepares ?? [])];
  const skills = allowed && new Map([...named, ...allowed]); // The lines in `allowed` take precedence.
  return {
    ...card,
    ...optional('whenToUse', whenToUse === '' ? undefined : whenToUse),
    ...(intents.length === 0 ? {} : { examples: intents }),
    ...optional('allowedSkills', skills && [...skills.keys()]),
    ...optional('allowedSkillLines', skills?.size ? [...skills.values()] : undefined),
  };
}

const longest = 1_000; // The maximum length of the intents on the card, in characters.

/** Joins the intents into one sentence, up to the maximum length. */
function meantFor(intents: readonly string[]): string | undefined {
  let said = '';
  for (const intent of intents) {
    const next = said === '' ? `As in: ${intent}` : `${said}; ${intent}`;
    if (next.length > longest) break;
    said = next;
  }
  return said === '' ? undefined : said;
}

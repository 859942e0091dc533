import {
  optional,
  readHeaded,
  scriptIn,
  skillNames,
  valuesOf,
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
  preparation: ['Prep', 'Context-Prep'],
  'allowed-prep-skills': ['Allowed-Preparation-Skills', 'Prep-Skills'],
  intents: ['Intentions', 'Mappings'],
  script: ['Light-SOP-Lang', 'LightSOPLang', 'Plan-Script', 'Plan SOPlang'],
  help: [],
};
/** The sections that it reads, each with its other spellings; all but the description may stand in the frontmatter. */
export const sections = { description: [], ...values };

/** Reads an oskill.md; an absent list stays absent, and a list that is there grants exactly what it names. */
export function parse(bundle: Bundle): Parsed<OrchestratorDefinition> {
  const headed = readHeaded(bundle, sections, ['description', 'summary', 'instructions']);
  const { name, issues } = headed;
  const { given, text, list, lineOf } = valuesOf(bundle, headed, values);
  const allowedSkills = skillNames(list('allowed-skills'), lineOf('allowed-skills'), issues);
  const allowedPrepSkills = skillNames(list('allowed-prep-skills'), lineOf('allowed-prep-skills'), issues);
  const preparation = text('preparation') || undefined; // an empty one prepares nothing
  const intents = list('intents');
  const card = buildCard(headed.card, {
    allowed: allowedSkills,
    prepares: preparation === undefined ? undefined : allowedPrepSkills,
    intents,
  });
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

/** Only the word loop selects a loop; whatever else is written, a plan is made. */
function sessionIn(given: GivenText | undefined, issues: Issue[]): 'loop' | 'sop' {
  if (given === undefined) return 'sop';
  const word = given.text
    .trim()
    .replace(/^[-*+]\s+/, '')
    .replace(/^(`|\*\*)(.*)\1$/, '$2')
    .toLowerCase();
  if (word === 'loop') return 'loop';
  if (word !== 'sop') {
    issues.push({
      level: 'warning',
      code: 'session.unknown',
      message: 'The session is neither "loop" nor "sop"; a plan (sop) is made.',
      line: given.line,
      hint: 'Write the one word loop or sop.',
    });
  }
  return 'sop';
}

function wholeDescription(bundle: Bundle, section: string | undefined, short: string): string {
  return bundle.head.fields.has('description') || section === undefined || section === '' ? short : section;
}

/** A script needs no model, and so nobody who could prepare or decide anything. */
function besideScript(what: string, line: number): Issue {
  return {
    level: 'warning',
    code: 'section.unused',
    message: `${what} has no effect beside a script, which runs as it is written.`,
    line,
    hint: 'Remove one of them.',
  };
}

function nothingToPrepare(line: number): Issue {
  return {
    level: 'warning',
    code: 'section.unused',
    message: 'Skills are allowed for a preparation that is not there.',
    line,
    hint: 'Add a "Preparation" section, or remove the list.',
  };
}

/** What an oskill.md says beyond its card; an absent list is not the same as an empty one. */
export interface OrchestratorDefinition {
  /** The whole description; the card has its first paragraph. */
  readonly description: string;
  readonly instructions?: string;
  readonly session: 'loop' | 'sop';
  /** Absent: every other skill. Empty: none. */
  readonly allowedSkills?: readonly string[];
  readonly preparation?: string;
  /** Absent: the allowed skills. Empty: none. */
  readonly allowedPrepSkills?: readonly string[];
  /** Hints for routing, one a line. */
  readonly intents?: readonly string[];
  /** A plan that needs no planner, and where it begins in the file. */
  readonly script?: GivenText;
  readonly help?: string;
  /** Set when it was made for one prompt: the names of the skills that fit it, best first. */
  readonly bestFirst?: readonly string[];
}

/** The names that a list allows, with and without their qualifier; undefined when there is no list. */
function allowedNames(listed: readonly string[] | undefined): AllowedNames | undefined {
  if (listed === undefined) return undefined;
  const known = new Set(listed.flatMap((name) => [name, withoutQualifier(name)]));
  return {
    names: listed,
    has: (command) =>
      skillNames([command], 1, [])?.some((name) => known.has(name) || known.has(withoutQualifier(name))) ===
      true,
  };
}

function withoutQualifier(name: string): string {
  return name.slice(Math.max(name.lastIndexOf(':'), name.lastIndexOf('/')) + 1);
}

/** What an orchestrator adds to the card of its file. */
interface OnCard {
  readonly allowed: readonly string[] | undefined;
  /** The list of its preparation, where there is one. */
  readonly prepares: readonly string[] | undefined;
  readonly intents: readonly string[] | undefined;
}

/** The card: what any of its stages may call can be called, and what it is meant for is searched and shown. */
function buildCard(card: SkillCard, { allowed, prepares = [], intents = [] }: OnCard): SkillCard {
  const whenToUse = [card.whenToUse, meantFor(intents)].filter((part) => part !== undefined).join(' ');
  return {
    ...card,
    ...optional('whenToUse', whenToUse === '' ? undefined : whenToUse),
    ...(intents.length === 0 ? {} : { examples: intents }),
    ...optional('allowedSkills', allowed && [...new Set([...allowed, ...prepares])]),
  };
}

const longest = 1_000; // characters

/** Intents as one sentence, as many as there is room for. */
function meantFor(intents: readonly string[]): string | undefined {
  let said = '';
  for (const intent of intents) {
    const next = said === '' ? `As in: ${intent}` : `${said}; ${intent}`;
    if (next.length > longest) break;
    said = next;
  }
  return said === '' ? undefined : said;
}

import { optional } from '../../core/collections.ts';
import type { Bundle } from '../../core/descriptor/bundle.ts';
import { readHeaded } from '../../core/descriptor/read-descriptor.ts';
import { scriptIn, valuesOf, type Given } from '../../core/descriptor/values.ts';
import type { Parsed } from '../../core/family.ts';
import type { Issue } from '../../core/issue.ts';
import { skillNames } from '../../core/names.ts';
import { findScriptIssues } from '../../engines/sop/language/find-script-issues.ts';
import { allowedNames } from './allowed-names.ts';
import { buildCard } from './build-card.ts';
import type { OrchestratorDefinition } from './definition.ts';

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
function sessionIn(given: Given | undefined, issues: Issue[]): 'loop' | 'sop' {
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

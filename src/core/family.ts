import type { Database } from './database.ts';
import type { DefinedSkill } from './define-skill.ts';
import type { Bundle } from './descriptor/bundle.ts';
import { AgentError } from './error.ts';
import type { Issue } from './issue.ts';
import type { Json, JsonObject } from './json.ts';
import type { Permission } from './policy.ts';
import type { Output, Question } from './run.ts';
import type { Scope } from './scope.ts';
import type { Skill, SkillCard } from './skill.ts';

/** The family that a skill belongs to; undefined when it is not among these. */
export function familyOf(
  families: readonly Family[],
  skill: { readonly family: string } | undefined,
): Family | undefined {
  return families.find(({ id }) => id === skill?.family);
}

/** How files of a family are recognised; names are compared without case. */
export type Descriptor =
  /** A file of this name makes its folder a bundle; `loose` also takes `<root>/<name>.md` with frontmatter. */
  | { readonly file: string; readonly loose?: boolean }
  /** Every Markdown file with frontmatter below a root folder of this name. */
  | { readonly folder: string };

/** What a descriptor says. Without a definition the file is unusable and the issues say why. */
export interface Parsed<Definition> {
  /** The declared name as written; empty when none is declared. */
  readonly name: string;
  readonly card: SkillCard;
  readonly definition: Definition | undefined;
  readonly issues: readonly Issue[];
}

/** Changes that settings make to a skill. */
export interface Configured<Definition> {
  readonly card: Partial<SkillCard>;
  readonly definition: Partial<Definition>;
}

/** What a skill is made for when no other one answers a prompt. */
export interface AdHocRequest {
  readonly goal: string;
  /** What it works with, the most fitting first. */
  readonly skills: readonly Skill[];
  /** Step by step, or by a plan. */
  readonly session: 'loop' | 'sop';
}

/** A plugin that owns one kind of skill; nothing outside it knows the kind by name. */
export interface FamilySpec<Definition, Prepared = Definition> {
  /** Unique, and not the name of a tier. */
  readonly id: string;
  /** Other words users know it by. */
  readonly aliases?: readonly string[];
  /** Absent when its skills are only made in code. */
  readonly descriptor?: Descriptor;
  /** Where a bare prompt goes; `input` unless said. */
  readonly defaultArgument?: string;
  /** Set when `accept` itself makes something of plain words, whatever named parts the JSON Schema of the card wants. */
  readonly readsWords?: true;
  readonly label: string;
  /** What its skills do, as the end of "a skill that …". */
  readonly purpose?: string;
  /** What may be said to a skill that is still as its template made it, for a first try. */
  readonly firstWords?: string;
  /** Set when its skills provide what they call themselves: one that may call no other skill is still more than a single step. */
  readonly provides?: true;
  /** Whether a skill can run code that comes with it, for which trust is asked; pure. None can unless said. */
  runsCode?(definition: Definition): boolean;
  /** The files of a new skill, by relative path; they parse without a finding. */
  template?(name: string): Readonly<Record<string, string>>;
  /** Pure; never throws, whatever the bytes. */
  parse(bundle: Bundle): Parsed<Definition>;
  /** Takes over a skill made in code, or leaves it to another family with undefined. */
  adopt?(made: DefinedSkill): Definition | undefined;
  /** Further findings that only a linter wants: what the format's standard forbids although we can read it. */
  lint?(bundle: Bundle): readonly Issue[];
  /** How permission rules see a skill; pure. */
  permission?(definition: Definition): Permission;
  /** The input as the skill takes it; throws `usage.bad-input`. Without it the JSON Schema of the card decides. */
  accept?(definition: Definition, input: Json): unknown;
  /** What has to be done once per version of a skill before its first call, in a run of its own that can ask nobody. */
  prepare?(definition: Definition, scope: Scope): Promise<Prepared>;
  /** Whether a skill is prepared as soon as the agent works, before anybody calls it; pure. At its first call unless said. */
  preparesEarly?(definition: Definition): boolean;
  /**
   * Whether there is something to prepare, by the files in its folder; never throws. While there is nothing, nothing is
   * prepared early; what was prepared before and is due again is done again. Unless said, a version is prepared once.
   */
  isDue?(definition: Definition, dir: string): boolean;
  /** What was made of its files; looks at its folder and changes nothing. Undefined where nothing ever is. Never throws. */
  inspect?(definition: Definition, dir: string): Made | undefined;
  /** Makes what `prepare` makes because a person asked, in a frame of its own; the input is a `BuildRequest`. */
  build?(definition: Definition, input: Json, scope: Scope): Promise<Output>;
  /** What a skill comes to with an input, without running any of it; pure. Throws `usage.bad-input`. */
  render?(definition: Definition, input: Json, place: RenderPlace): Rendering;
  /** Gives the text of a skill for the conversation of its caller, in a frame of its own; the value is a `LoadedText`. */
  load?(prepared: Prepared, input: Json, scope: Scope): Promise<Output>;
  /** Does what a skill hooks into a conversation that loaded it, in a frame of its own; the input is a `HookEvent`, the value a `HookVerdict`. */
  hook?(prepared: Prepared, input: Json, scope: Scope): Promise<Output>;
  /** What settings say about one skill of the family, as changes to what its file says; throws `usage.bad-settings`. Pure. */
  configure?(settings: JsonObject, card: SkillCard): Configured<Definition>;
  /** A skill for one prompt, over others; pure. Only families whose skills hand prompts on to other skills have it: these are asked first. */
  adHoc?(request: AdHocRequest): Definition;
  /**
   * Whether words that were said while a question of a skill waits answer it, and are no request of their own; pure.
   * They are unless said.
   */
  answers?(definition: Definition, question: Question, words: string): boolean;
  /**
   * Whether words that name no skill are a request to this one: they speak of it by what it is about (`named`), or would
   * be for it next in a session in which it worked last (`next`). Pure; left to the ranking unless said.
   */
  recognises?(definition: Definition, words: string): 'named' | 'next' | undefined;
  /**
   * The files of a new skill that stands for something which is there already, as a table of a database; throws
   * `usage.not-found` where it is not.
   */
  templateFrom?(
    name: string,
    from: { readonly place: string; readonly what: string; readonly database: Database },
  ): Promise<Readonly<Record<string, string>>>;
  /** Runs a skill; its failures are data, what it throws is a defect of the family. `input` is what `accept` gave. */
  execute(prepared: Prepared, input: Json, scope: Scope): Promise<Output>;
}

/** A family whose private definition type is sealed: only the family itself can open it. */
export type Family = FamilySpec<unknown, unknown>;

/** Seals a family's private types and checks its id and descriptor. */
export function defineFamily<Definition, Prepared = Definition>(
  spec: FamilySpec<Definition, Prepared>,
): Family {
  if (!/^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/.test(spec.id)) {
    throw new AgentError('usage.bad-input', `"${spec.id}" cannot be the id of a family.`, {
      hint: 'Use lower-case words joined by hyphens.',
    });
  }
  const { descriptor } = spec;
  if (descriptor !== undefined && 'file' in descriptor && !/^[^/\\]+\.md$/i.test(descriptor.file)) {
    throw new AgentError(
      'usage.bad-input',
      `"${descriptor.file}" cannot be the descriptor of "${spec.id}".`,
      {
        hint: 'Descriptors are Markdown: give a file name that ends with .md.',
      },
    );
  }
  return spec;
}

/** A file that is made of others. */
export interface MadeFile {
  /** From the folder of the skill, as `src/index.ts`. */
  readonly path: string;
  /** What it is made of, as `specs/index.ts.md`; absent for one that a person wrote. */
  readonly from?: string;
  /** Made and up to date; to be made; changed by hand since; or written by a person to begin with. */
  readonly status: 'current' | 'due' | 'drifted' | 'own';
  /** `sha256:` and 64 digits; absent where there is no file. */
  readonly digest?: string;
}

/** What was made of a skill's files, as people are told. */
export interface Made {
  /**
   * The gravest that holds: the last try failed and nothing changed since, something was changed by hand, something is to
   * be made, there is nothing to run, all is as it should be; or all of it was written by a person.
   */
  readonly status: 'failed' | 'drifted' | 'due' | 'missing' | 'current' | 'own';
  readonly files: readonly MadeFile[];
  /** What people should know, each with a next step. */
  readonly issues: readonly Issue[];
}

/** What a person wants of a build. */
export interface BuildRequest {
  /** Make everything again, also what is up to date or was changed by hand; what failed is tried again anyway. */
  readonly force?: boolean;
}

/** The name of the folder beside skills in which their code is made: whoever writes there writes code of skills. */
export const generationFolder = '.generation';

/** What a folder in it is called while code is made there, so that nothing else is ever taken for one. */
export const stagingName = /^staging-[0-9a-f-]{36}$/;

/** Where a text is rendered: what its variables stand for. */
export interface RenderPlace {
  readonly session: string;
  /** The folder of the skill; undefined for one without files of its own. */
  readonly skillDir: string | undefined;
  readonly projectDir: string | undefined;
}

/** A placeholder that got a value. */
export interface Replacement {
  readonly placeholder: string;
  readonly value: string;
  /** Where it stood in the body, in UTF-16 units. */
  readonly at: number;
}

/** A command in the text of a skill. */
export interface RenderedCommand {
  /** As the shell gets it. */
  readonly command: string;
  readonly ran: boolean;
  readonly exitCode?: number;
  readonly output?: string;
}

/** The text of a skill with everything put in; commands that did not run stand in it as `[not run: …]`. */
export interface Rendering {
  readonly text: string;
  readonly commands: readonly RenderedCommand[];
  readonly replacements: readonly Replacement[];
}

/** The value of a skill that was loaded into a conversation. */
export interface LoadedText extends Rendering {
  /** The moments of the conversation that the skill wants to hear of. */
  readonly hooks?: readonly HookMoment[];
}

/** Moments of a conversation: before a call, after it, and when the model would end. */
export type HookMoment = 'before' | 'after' | 'stop';

/** A moment of a conversation as a hook hears of it. */
export interface HookEvent {
  readonly moment: HookMoment;
  /** The tool by the word that permission rules use, else its name. */
  readonly tool?: string;
  readonly input?: unknown;
  /** What the call came to, or what the model said last. */
  readonly text?: string;
}

/** What a hook says: a text keeps a call from happening, is added to its result, or makes the model go on. */
export interface HookVerdict {
  readonly objection?: string;
}

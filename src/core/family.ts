import type { Bundle } from './bundle.ts';
import type { Database } from './database.ts';
import type { DefinedSkill } from './define-skill.ts';
import { AgentError } from './error.ts';
import type { Issue } from './issue.ts';
import type { Json, JsonObject } from './json.ts';
import type { Made } from './made.ts';
import type { Output } from './output.ts';
import type { Permission } from './policy.ts';
import type { Question } from './question.ts';
import type { RenderPlace, Rendering } from './rendering.ts';
import type { Scope } from './scope.ts';
import type { Skill, SkillCard } from './skill.ts';

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

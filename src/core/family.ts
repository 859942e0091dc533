import type { Database } from './database.ts';
import type { DefinedSkill } from './define-skill.ts';
import type { Bundle } from './descriptor/bundle.ts';
import { AgentError } from './error.ts';
import type { Issue } from './issue.ts';
import type { Json, JsonObject } from './json.ts';
import type { Permission } from './policy.ts';
import type { Output, Question } from './run.ts';
import type { Scope } from './scope.ts';
import type { RenderPlace, Rendering } from './descriptor/skill-text.ts';
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

/** What the assistant is made for: a prompt that no skill answers. */
export interface AssistantRequest {
  readonly goal: string;
  /** What it works with, the best match first. */
  readonly skills: readonly Skill[];
  /** Step by step, or by a plan. */
  readonly session: 'loop' | 'sop';
}

/** The files of a skill, by relative path. */
export type SkillFiles = Readonly<Record<string, string>>;

/** New skills, and what a linter says of them. */
export interface AuthoringCapability {
  /** What skills of the family do, as the end of "a skill that …". */
  readonly purpose?: string;
  /** A first prompt for a skill that is still as its template made it. */
  readonly firstWords?: string;
  /** The files of a new skill; they parse without an issue. */
  template?(name: string): SkillFiles;
  /** The files of a new skill for something that exists, such as a table of a database; throws `usage.not-found`. */
  templateFrom?(
    name: string,
    from: { readonly place: string; readonly what: string; readonly database: Database },
  ): Promise<SkillFiles>;
  /** Further issues that only a linter wants: what the format's standard forbids although we can read it. */
  lint?(bundle: Bundle): readonly Issue[];
}

/** How input is read. Without it the JSON Schema of the card decides. */
export interface InputCapability<Definition> {
  /** The argument that a bare prompt becomes; `input` unless given. */
  readonly defaultArgument?: string;
  /** Set when `accept` itself understands plain words, whatever named arguments the JSON Schema of the card requires. */
  readonly readsWords?: true;
  /** The input as `execute` gets it; throws `usage.bad-input`. */
  accept?(definition: Definition, input: Json): unknown;
}

/** What a skill may do, as policies and permission rules see it. Without it a skill runs no code and has no effects. */
export interface PermissionCapability<Definition> {
  /** Whether a skill can run code that comes with it, which needs trust; pure. */
  runsCode?(definition: Definition): boolean;
  /** How permission rules see a skill; pure. */
  describe?(definition: Definition): Permission;
}

/** Skills whose text joins a conversation. */
export interface TextCapability<Definition, Prepared> {
  /** The text of a skill for an input, without running any of it; pure. Throws `usage.bad-input`. */
  render?(definition: Definition, input: Json, place: RenderPlace): Rendering;
  /** Gives the text of a skill for the conversation of its caller, in a frame of its own; the value is a `LoadedText`. */
  load?(prepared: Prepared, input: Json, scope: Scope): Promise<Output>;
  /** Runs a hook of a skill that a conversation loaded, in a frame of its own; the input is a `HookEvent`, the value a `HookVerdict`. */
  hook?(prepared: Prepared, input: Json, scope: Scope): Promise<Output>;
}

/** Skills that are prepared once per version, such as those whose code is generated. */
export interface GenerationCapability<Definition, Prepared> {
  /** Runs before the first call of a version, in a run of its own that can ask nobody. */
  prepare?(definition: Definition, scope: Scope): Promise<Prepared>;
  /** Whether to prepare a skill with the first run of the agent, before anybody calls it; pure. Not unless given. */
  isEarly?(definition: Definition): boolean;
  /**
   * Whether there is something to prepare, by the files in its folder; never throws. When there is nothing, nothing is
   * prepared early; when a prepared version is due again, it is prepared again. Without it a version is prepared once.
   */
  isDue?(definition: Definition, dir: string): boolean;
  /** What was generated from its files; reads its folder and changes nothing. Undefined when nothing ever is. Never throws. */
  inspect?(definition: Definition, dir: string): Made | undefined;
  /** Generates what `prepare` generates because a person asked, in a frame of its own; the input is a `BuildRequest`. */
  build?(definition: Definition, input: Json, scope: Scope): Promise<Output>;
}

/** Prompts that name no skill. */
export interface PromptCapability<Definition> {
  /** A skill for one prompt, over other skills; pure. A family that has it owns orchestrators: they are offered prompts first. */
  assistant?(request: AssistantRequest): Definition;
  /** Whether words that were typed while a question of a skill waits answer it, instead of being a new request; pure. They do unless it says no. */
  answers?(definition: Definition, question: Question, words: string): boolean;
  /**
   * Whether words that name no skill are a request to this one: they speak of what it is about (`named`), or are for it
   * next in a session in which it ran last (`next`). Pure; without it ranking decides.
   */
  recognises?(definition: Definition, words: string): 'named' | 'next' | undefined;
}

/** A plugin that owns one kind of skill; nothing outside it knows the kind by name. Capabilities are optional. */
export interface FamilySpec<Definition, Prepared = Definition> {
  /** Unique, and not the name of a tier. */
  readonly id: string;
  /** Other words users know it by. */
  readonly aliases?: readonly string[];
  readonly label: string;
  /** Absent when its skills are only defined in code. */
  readonly descriptor?: Descriptor;
  /** Pure; never throws, whatever the bytes. */
  parse(bundle: Bundle): Parsed<Definition>;
  /** Takes a skill that is defined in code, or leaves it to another family with undefined. */
  adopt?(made: DefinedSkill): Definition | undefined;
  /** What settings say about one skill of the family, as changes to what its file says; throws `usage.bad-settings`. Pure. */
  configure?(settings: JsonObject, card: SkillCard): Configured<Definition>;
  /** Runs a skill; its failures are data, what it throws is a defect of the family. `input` is what `accept` returned. */
  execute(prepared: Prepared, input: Json, scope: Scope): Promise<Output>;
  /** Set when its skills provide what they call: one that may call no other skill is still more than a single step. */
  readonly provides?: true;
  readonly authoring?: AuthoringCapability;
  readonly input?: InputCapability<Definition>;
  readonly permission?: PermissionCapability<Definition>;
  readonly text?: TextCapability<Definition, Prepared>;
  readonly generation?: GenerationCapability<Definition, Prepared>;
  readonly prompts?: PromptCapability<Definition>;
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
  checkMembers(spec);
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

const movedMembers: Readonly<Record<string, string>> = {
  purpose: 'authoring.purpose',
  firstWords: 'authoring.firstWords',
  template: 'authoring.template',
  templateFrom: 'authoring.templateFrom',
  lint: 'authoring.lint',
  defaultArgument: 'input.defaultArgument',
  readsWords: 'input.readsWords',
  accept: 'input.accept',
  runsCode: 'permission.runsCode',
  render: 'text.render',
  load: 'text.load',
  hook: 'text.hook',
  prepare: 'generation.prepare',
  preparesEarly: 'generation.isEarly',
  isDue: 'generation.isDue',
  inspect: 'generation.inspect',
  build: 'generation.build',
  adHoc: 'prompts.assistant',
  answers: 'prompts.answers',
  recognises: 'prompts.recognises',
};

/** A member that an earlier release had at the top would have no effect, so it throws. */
function checkMembers(spec: object): void {
  const moved = Object.keys(spec).find((name) => Object.hasOwn(movedMembers, name));
  const isOldPermission = 'permission' in spec && typeof spec.permission === 'function';
  const name = moved ?? (isOldPermission ? 'permission' : undefined);
  if (name === undefined) return;
  throw new AgentError('usage.bad-input', `A family has no member "${name}".`, {
    hint: `Give it as ${movedMembers[name] ?? 'permission.describe'}.`,
  });
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

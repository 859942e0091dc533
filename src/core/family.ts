import type { Database } from './database.ts';
import type { DefinedSkill } from './define-skill.ts';
import type { Bundle } from './descriptor/bundle.ts';
import { AgentError } from './error.ts';
import type { Issue } from './issue.ts';
import type { Json, JsonObject } from './json.ts';
import type { Permission } from './policy.ts';
import { currentFamily } from './renamed/family.ts';
import type { AssistantMode, Output, Question } from './run.ts';
import type { Scope } from './scope.ts';
import type { RenderContext, Rendering } from './descriptor/skill-text.ts';
import type { Skill, SkillCard } from './skill.ts';

/** Returns the family that owns a skill, or undefined if that family is not in the list. */
export function familyOf(
  families: readonly Family[],
  skill: { readonly family: string } | undefined,
): Family | undefined {
  return families.find(({ id }) => id === skill?.family);
}

/** A folder of commands: Markdown files, with or without frontmatter, that are named after their path. */
export interface CommandFolder {
  /** The folder's name. A plugin can also contain a folder with this name. */
  readonly folder: string;
  /** The folders in a project or the user's home that can contain a command folder, such as `.claude`. */
  readonly within: readonly string[];
}

/** Describes which descriptor files belong to a family. File names are compared case-insensitively. */
export type Descriptor =
  /**
   * The descriptor's file name. A folder with such a file is a bundle. With `loose`, a file
   * `<root>/<name>.md` with frontmatter is also a descriptor. With `commands`, so is every Markdown file
   * below a folder of commands.
   */
  | { readonly file: string; readonly loose?: boolean; readonly commands?: CommandFolder }
  /**
   * Every Markdown file with frontmatter below a root folder with this name. `alsoIn` lists further folders,
   * relative to a project or the user's home. Markdown files directly inside these folders are descriptors
   * too, but not those in subfolders.
   */
  | { readonly folder: string; readonly alsoIn?: readonly string[] };

/** A parsed descriptor. If `definition` is missing, the file is unusable and the issues say why. */
export interface Parsed<Definition> {
  /** The declared name as written, or an empty string if none is declared. */
  readonly name: string;
  readonly card: SkillCard;
  readonly definition: Definition | undefined;
  readonly issues: readonly Issue[];
}

/** The changes that the settings make to a skill. */
export interface Configured<Definition> {
  readonly card: Partial<SkillCard>;
  readonly definition: Partial<Definition>;
}

/** A request to create an assistant for a prompt that no skill handles. */
export interface AssistantRequest {
  readonly goal: string;
  /** The skills that the assistant can use, best match first. */
  readonly skills: readonly Skill[];
  /** The kind of session: `loop` proceeds step by step, `sop` follows a plan. */
  readonly session: 'loop' | 'sop';
  /** Whether it may also answer without a skill. Default: `skills-only`. */
  readonly mode?: AssistantMode;
}

/** A skill's files, keyed by relative path. */
export type SkillFiles = Readonly<Record<string, string>>;

/** The database table for which a skill is created. */
export interface TemplateSource {
  /** The database's location, as the user specified it. */
  readonly location: string;
  /** The table's name. */
  readonly what: string;
  readonly database: Database;
}

/** The capability to create and lint skills. */
export interface AuthoringCapability {
  /** The purpose of the family's skills, phrased to complete "a skill that …". */
  readonly purpose?: string;
  /** An example prompt for trying a new skill whose template has not been edited. */
  readonly examplePrompt?: string;
  /** Returns the files for a new skill. They parse without issues. */
  template?(name: string): SkillFiles;
  /**
   * Returns the files for a new skill based on an existing resource, such as a database table. Throws
   * `usage.not-found` if the resource does not exist.
   */
  templateFrom?(name: string, from: TemplateSource): Promise<SkillFiles>;
  /**
   * Returns additional issues for linters only: constructs that the format's standard forbids but skilled
   * accepts.
   */
  lint?(bundle: Bundle): readonly Issue[];
}

/** The capability to convert a skill's input. Without it, the card's JSON Schema defines the input. */
export interface InputCapability<Definition> {
  /** The argument that receives a prompt without named arguments. Default: `input`. */
  readonly defaultArgument?: string;
  /** Set if `accept` also accepts plain text when the card's JSON Schema requires named arguments. */
  readonly acceptsText?: true;
  /** Converts the input for `execute`. Throws `usage.bad-input` for invalid input. */
  accept?(definition: Definition, input: Json): unknown;
}

/**
 * The capability to describe skills' permissions to policies and rules. Skills of families without it run no
 * code and have no effects.
 */
export interface PermissionCapability<Definition> {
  /** Whether a skill can run code from its bundle, which requires trust. Pure. */
  runsCode?(definition: Definition): boolean;
  /** Describes a skill to rules and policies. Pure. */
  describe?(definition: Definition): Permission;
}

/** The capability of skills whose text is loaded into conversations. */
export interface TextCapability<Definition, Prepared> {
  /** Renders a skill's text for an input without running any of it. Pure. Throws `usage.bad-input`. */
  render?(definition: Definition, input: Json, context: RenderContext): Rendering;
  /**
   * Returns a skill's text for its caller's conversation. Runs in a separate frame; the value is a
   * `LoadedText`.
   */
  load?(prepared: Prepared, input: Json, scope: Scope): Promise<Output>;
  /**
   * Runs a hook of a skill that a conversation loaded. Runs in a separate frame; the input is a `HookEvent`
   * and the value a `HookVerdict`.
   */
  hook?(prepared: Prepared, input: Json, scope: Scope): Promise<Output>;
}

/** The capability of skills that are prepared once per version, for example by generating their code. */
export interface GenerationCapability<Definition, Prepared> {
  /** Prepares a version before its first call, in a separate run that cannot ask for input. */
  prepare?(definition: Definition, scope: Scope): Promise<Prepared>;
  /** Whether to prepare a skill during the agent's first run, before it is called. Pure. Default: no. */
  isEarly?(definition: Definition): boolean;
  /**
   * Whether the files in the skill's folder require preparation. If false, the skill is not prepared early;
   * if true, it is prepared even if this version has been prepared before. Without this method, each version
   * is prepared once. Never throws.
   */
  isDue?(definition: Definition, dir: string): boolean;
  /**
   * Returns the code generated from the skill's files, or undefined if the skill never has any. Reads the
   * folder and changes nothing. Never throws.
   */
  inspect?(definition: Definition, dir: string): GeneratedCode | undefined;
  /**
   * Generates the same code as `prepare`, at a user's request. Runs in a separate frame; the input is a
   * `BuildRequest`.
   */
  build?(definition: Definition, input: Json, scope: Scope): Promise<Output>;
}

/** The capability to handle prompts that do not name a skill. */
export interface PromptCapability<Definition> {
  /**
   * Returns an orchestrator: a skill that handles a prompt by calling other skills. Families that define this
   * method are offered each prompt first. Pure.
   */
  assistant?(request: AssistantRequest): Definition;
  /**
   * Whether text entered while a skill's question is pending answers the question instead of starting a new
   * request. Pure. Default: yes.
   */
  answers?(definition: Definition, question: Question, text: string): boolean;
  /**
   * Whether text that does not name a skill is a request to this one: `named` if it mentions the skill's
   * subject, `next` if it is a follow-up in a session where this skill ran last. Pure. Without this method,
   * ranking decides.
   */
  recognises?(definition: Definition, text: string): 'named' | 'next' | undefined;
}

/**
 * A plugin that owns one kind of skill. Only the plugin may refer to this kind by name. All capabilities are
 * optional.
 */
export interface FamilySpec<Definition, Prepared = Definition> {
  /** A unique id that is not the name of a tier. */
  readonly id: string;
  /** Other names for the family. */
  readonly aliases?: readonly string[];
  readonly label: string;
  /** Absent if the family's skills are only defined in code. */
  readonly descriptor?: Descriptor;
  /** Parses a bundle. Pure; never throws, regardless of the bundle's bytes. */
  parse(bundle: Bundle): Parsed<Definition>;
  /** Adopts a skill that is defined in code, or returns undefined to pass it to another family. */
  adopt?(skill: DefinedSkill): Definition | undefined;
  /**
   * Turns the settings for one of the family's skills into changes to its definition. Pure. Throws
   * `usage.bad-settings` for invalid settings.
   */
  configure?(settings: JsonObject, card: SkillCard): Configured<Definition>;
  /**
   * Runs a skill. Failures are returned as data; anything thrown is a bug in the family. `input` is the value
   * that `accept` returned.
   */
  execute(prepared: Prepared, input: Json, scope: Scope): Promise<Output>;
  /**
   * Set if the family's skills themselves provide the skills that they call. Such a skill is never a leaf,
   * even if its list of allowed skills is empty.
   */
  readonly provides?: true;
  readonly authoring?: AuthoringCapability;
  readonly input?: InputCapability<Definition>;
  readonly permission?: PermissionCapability<Definition>;
  readonly text?: TextCapability<Definition, Prepared>;
  readonly generation?: GenerationCapability<Definition, Prepared>;
  readonly prompts?: PromptCapability<Definition>;
}

/** A family whose definition type is hidden from all code except the family itself. */
export type Family = FamilySpec<unknown, unknown>;

/** Checks a family's id and descriptor, and hides its private types from other code. */
export function defineFamily<Definition, Prepared = Definition>(
  spec: FamilySpec<Definition, Prepared>,
): Family {
  if (!/^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/.test(spec.id)) {
    throw new AgentError('usage.bad-input', `"${spec.id}" is not a valid family id.`, {
      hint: 'Use lower-case words joined by hyphens.',
    });
  }
  const { descriptor } = spec;
  if (descriptor !== undefined && 'file' in descriptor && !/^[^/\\]+\.md$/i.test(descriptor.file)) {
    throw new AgentError(
      'usage.bad-input',
      `"${descriptor.file}" is not a valid descriptor for "${spec.id}".`,
      {
        hint: 'Descriptors are Markdown: use a file name that ends with .md.',
      },
    );
  }
  return currentFamily(spec);
}

/** A file generated from other files. */
export interface GeneratedFile {
  /** The path relative to the skill's folder, such as `src/index.ts`. */
  readonly path: string;
  /** The source file, such as `specs/index.ts.md`. Absent if the file was written by hand. */
  readonly from?: string;
  /**
   * `current` is up to date, `due` must be generated, `drifted` was edited by hand after generation, and
   * `own` was written by hand.
   */
  readonly status: 'current' | 'due' | 'drifted' | 'own';
  /** `sha256:` followed by 64 hex digits. Absent if the file does not exist. */
  readonly digest?: string;
}

/** Describes the code generated from a skill's files, for display to users. */
export interface GeneratedCode {
  /**
   * The most severe status that applies. `failed`: the last attempt failed and nothing has changed since.
   * `drifted`: a file was edited by hand. `due`: a file must be generated. `missing`: there is no code to
   * run. `current`: everything is up to date. `own`: all of it was written by hand.
   */
  readonly status: 'failed' | 'drifted' | 'due' | 'missing' | 'current' | 'own';
  readonly files: readonly GeneratedFile[];
  /** Issues to show to users, each with a next step. */
  readonly issues: readonly Issue[];
}

/** Options for a build. */
export interface BuildRequest {
  /**
   * Whether to regenerate everything, including files that are up to date or edited by hand. Failed files are
   * always retried.
   */
  readonly force?: boolean;
}

/**
 * The name of the folder next to skills that contains their generated code. Anyone who can write to this
 * folder can change the code that skills run.
 */
export const generationFolder = '.generation';

/**
 * The names of folders that contain code while it is being generated. The pattern is strict, so no other
 * folder matches.
 */
export const stagingName = /^staging-[0-9a-f-]{36}$/;

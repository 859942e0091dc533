import {
  isFromServer,
  isJsonObject,
  optional,
  parseRules,
  ruleAgainst,
  rulesCover,
  visible,
  type Decision,
  type Json,
  type LastingApproval,
  type PermissionRequest,
  type PermissionSubject,
  type Permissions,
  type Policy,
  type Rule,
  type SkillVersion,
  type TrustSubject,
} from '../core/index.ts';
import type { FolderGrants } from './folder-grants.ts';
import { pinRule, type TrustBook } from './trust-book.ts';
import { allowKnown, changeOf, isChanged, needsTrust, trustRule, trustedBy } from './trust.ts';

/** The methods of the trust book that the policy needs. */
export type PolicyTrustBook = Pick<
  TrustBook,
  'isTrusted' | 'hasApproval' | 'remember' | 'trust' | 'list' | 'pinOf' | 'pin' | 'pinFirst'
> &
  Partial<Pick<FolderGrants, 'covers' | 'touchedBy' | 'noteChanges'>> & {
    /** Whether the program itself trusts a skill, whatever the user decided. */
    trustsSkill?(skill: TrustSubject): boolean;
  };

/**
 * Creates a policy from permission rules and the user's trust decisions. If no rule applies, the policy
 * allows calls that change nothing, skills that the host defines, sandboxed code from trusted bundles, and
 * skills that only call other skills. It asks the user about tools with side effects, code from untrusted
 * bundles, and processes without a sandbox. The first use of an external tool pins its definition. If the
 * definition changes, the policy asks the user, even if the call was allowed before.
 */
export function createPolicy(permissions: Permissions, book: PolicyTrustBook): Policy {
  const rules = {
    allow: parseRules(permissions.allow ?? []),
    ask: parseRules(permissions.ask ?? []),
    deny: parseRules(permissions.deny ?? []),
  };
  return {
    decide: (request) => decide(rules, book, request),
    remember: (approval) => remember(book, approval),
    inherit: (from, to) => inherit(book, from, to),
    trusts: (subject) => trustedBy(book, subject),
  };
}

type Question = Extract<Decision, { decision: 'ask' }>;
type Rules = Readonly<Record<'allow' | 'ask' | 'deny', readonly Rule[]>>;

function decide(
  { allow, ask, deny }: Rules,
  book: PolicyTrustBook,
  request: PermissionRequest,
): Decision | Promise<Decision> {
  const forbidden = ruleAgainst(deny, request);
  if (forbidden !== undefined) return { decision: 'deny', reason: forbiddance(forbidden, request) };
  const closed = protectedFrom(allow, request);
  if (closed !== undefined) return closed;
  const open = checkTrustAndSandbox(request, book);
  if (open !== undefined) return open;
  const folder = book.touchedBy?.(request);
  if (folder !== undefined) return askAboutFolder(request, folder, book);
  const { caller, permission } = request;
  const version = (): SkillVersion | undefined => versionOf(caller ?? request);
  const { pin } = permission;
  const askAgain = (reason: string): Decision => {
    return { ...question(request, `${reason} ${effectOf(request)}`), ...optional('version', version()) };
  };
  if (pin !== undefined && isChanged(pin, book.pinOf(pin.key))) return askAgain(changeOf(pin));
  const asked = ruleAgainst(ask, request);
  if (asked !== undefined)
    return question(request, `The rule ${written(asked)} requires approval. ${effectOf(request)}`);
  if (
    rulesCover(allow, request) ||
    isPreApproved(request, book) ||
    isHarmless(request) ||
    isOwn(request, book)
  )
    return pin === undefined ? { decision: 'allow' } : allowKnown(book, pin, askAgain);
  const once = question(request, effectOf(request));
  const now = version();
  if (now === undefined) return once;
  return hasApproval(book, once, now) ? { decision: 'allow' } : { ...once, version: now };
}

/**
 * Asks about a change in a folder whose skills are trusted, because the change could run as code. If the change
 * happens, its skill needs trust again.
 */
async function askAboutFolder(
  request: PermissionRequest,
  folder: string,
  book: PolicyTrustBook,
): Promise<Decision> {
  await book.noteChanges?.(request);
  const reason = `You trust the skills in ${visible(folder)}, so this change could run as code. ${effectOf(request)}`;
  return { ...question(request, reason), each: true };
}

/** Denies a change to a protected path, unless a rule names that path explicitly. */
function protectedFrom(allow: readonly Rule[], request: PermissionRequest): Decision | undefined {
  const { permission, input, workspace } = request;
  const protection = permission.protects?.(input, workspace ?? '');
  if (protection === undefined) return undefined;
  const naming = allow.filter(({ spec }) => spec !== undefined && protection.isNamedBy(spec));
  if (rulesCover(naming, request)) return undefined;
  const { reason, hint } = protection;
  return { decision: 'deny', reason, hint };
}

/** Whether a lasting approval exists and the pinned definition, if any, has not changed. */
function hasApproval(book: PolicyTrustBook, { rule, pin }: Question, { digest }: SkillVersion): boolean {
  return book.hasApproval(digest, rule) && (pin === undefined || book.pinOf(pin.key) === pin.hash);
}

function forbiddance(rule: Rule, { permission: { mayTouch } }: PermissionRequest): string {
  if (mayTouch === undefined || rule.spec === undefined) return `the rule ${written(rule)} forbids it.`;
  return `the rule ${written(rule)} forbids paths that this call could touch. Choose a path that the rule does not forbid.`;
}

/**
 * Asks the user about untrusted code and about processes without a sandbox. Allow rules cannot skip this
 * question.
 */
function checkTrustAndSandbox(request: PermissionRequest, book: PolicyTrustBook): Decision | undefined {
  const { permission, isSandboxed } = request;
  const isTrusted = !needsTrust(request) || trustedBy(book, request);
  const untrusted = isTrusted ? '' : distrustOf(request, book);
  if (!isSandboxed) {
    const isCommand = permission.runsProcesses === true;
    const details = isCommand
      ? `: ${shownCommand(commandIn(request.input))}`
      : ['.', permission.effect].filter(Boolean).join(' ');
    const what = isCommand ? 'It' : 'Its code';
    const reason = `${what} runs without a sandbox and can do anything that you can do${details}`;
    return { ...question(request, isTrusted ? reason : `${untrusted} ${reason}`), each: true };
  }
  return isTrusted ? undefined : trustQuestion(request, untrusted);
}

/**
 * Asks the user whether to trust the skill's files. Denies the call if they cannot be verified. Returns
 * undefined if the user has already allowed their use.
 */
function trustQuestion(request: PermissionRequest, untrusted: string): Decision | undefined {
  const { skill } = request;
  const version = versionOf(request);
  if (version === undefined)
    return {
      decision: 'deny',
      reason: 'its files cannot be verified: some of them cannot be read or are outside the skill folder.',
    };
  const rule = trustRule(skill, version.digest);
  if (request.isAllowed?.({ rule, version }) === true) return undefined;
  return { decision: 'ask', reason: `${untrusted}${promiseOf(request)}`, rule, version };
}

function distrustOf(request: PermissionRequest, book: PolicyTrustBook): string {
  if (!isFromServer(request))
    return wasTrusted(request, book)
      ? 'This skill can run code, and its files changed since it was trusted.'
      : 'This skill can run code and is not trusted yet.';
  const more = request.runsCode ? ', and its files can run code' : '';
  return `This skill comes from a server and is not trusted yet: its text would give instructions to your models${more}.`;
}

function wasTrusted({ skill, dir }: PermissionRequest, book: PolicyTrustBook): boolean {
  try {
    return book.list().bundles.some((known) => known.name === skill && known.dir === dir);
  } catch {
    return false; // If the trust book cannot be read, nothing is trusted.
  }
}

/** Describes the effect of a call, and the tools that lasting trust in the skill would also allow. */
function promiseOf({ permission: { effect }, tools = [] }: PermissionRequest): string {
  const does = effect === undefined ? '' : ` ${effect}`;
  if (tools.length === 0) return does;
  return `${does} If you trust the skill permanently, it can also use ${tools.join(', ')} without asking.`;
}

/**
 * Whether the tool list of a trusted skill allows the call. The list is ignored if the skill's files are not
 * trusted, so that a skill cannot give itself permissions. An untrusted skill gains no tools by loading a
 * trusted one.
 */
function isPreApproved(request: PermissionRequest, book: PolicyTrustBook): boolean {
  const { caller, active = [] } = request;
  const names = ({ tools }: PermissionSubject): boolean =>
    tools !== undefined && rulesCover(parseRules(tools), request);
  const isTrusted = (one: PermissionSubject): boolean => trustedBy(book, one);
  const naming = [...(caller === undefined ? [] : [caller]), ...active].filter(names);
  return naming.some(isTrusted) && (caller === undefined || isTrusted(caller));
}

/**
 * Whether a change affects only the skill's own folder. Such a change is allowed if the skill's code is
 * trusted permanently or allowed for this run.
 */
function isOwn({ permission, input, caller }: PermissionRequest, book: PolicyTrustBook): boolean {
  if (caller === undefined || permission.isOwn?.(input, caller.dir) !== true) return false;
  return trustedBy(book, caller) || caller.runsCode?.() === true;
}

function isHarmless({ permission, isDefinedInCode, source }: PermissionRequest): boolean {
  return (
    permission.readOnly === true ||
    (isDefinedInCode && source === 'explicit') ||
    permission.label === undefined
  );
}

function question(request: PermissionRequest, reason: string): Question {
  const { skill, permission } = request;
  const { label, pin } = permission;
  if (pin !== undefined) return { decision: 'ask', reason, rule: pinRule(label ?? skill, pin), pin };
  const spec = offerFor(request);
  if (spec !== undefined) return { decision: 'ask', reason, rule: `${label ?? skill}(${spec})` };
  return { decision: 'ask', reason, rule: label ?? `Skill(${skill})` };
}

/** Returns the rule that a lasting approval would add. It is as narrow as the tool supports. */
function offerFor({ permission, input, workspace }: PermissionRequest): string | undefined {
  if (permission.runsProcesses === true) return commandIn(input);
  return permission.parts?.(input, workspace ?? '').offer;
}

function effectOf({ permission, input }: PermissionRequest): string {
  if (permission.runsProcesses === true) return `It runs a command: ${shownCommand(commandIn(input))}`;
  return permission.effect ?? 'It can make changes.';
}

function versionOf({ skill, digest }: PermissionSubject): { skill: string; digest: string } | undefined {
  const now = digest();
  return now === undefined ? undefined : { skill, digest: now };
}

async function remember(book: PolicyTrustBook, approval: LastingApproval): Promise<void> {
  const { skill: name, digest, rule, dir, pin } = approval;
  if (pin !== undefined) await book.pin(pin);
  await (rule === trustRule(name, digest) ? book.trust({ digest, name, dir }) : book.remember(approval));
}

/** Copies the trust and the lasting approvals of a bundle to files that were generated from it. */
async function inherit(
  book: PolicyTrustBook,
  from: string,
  to: SkillVersion & { readonly dir: string },
): Promise<void> {
  const { skill: name, digest, dir } = to;
  if (book.isTrusted(from)) await book.trust({ digest, name, dir });
  for (const { rule, ...given } of approvalsFor(book, from))
    await book.remember({ ...given, rule, digest, dir });
}

function approvalsFor(book: PolicyTrustBook, digest: string): readonly LastingApproval[] {
  try {
    return book.list().leave.filter((approval) => approval.digest === digest);
  } catch {
    return []; // If the trust book cannot be read, there are no approvals.
  }
}

function written({ tool, spec }: Rule): string {
  return spec === undefined ? tool : `${tool}(${spec})`;
}

/** Returns the `command` in an input. Returns the entire input as JSON if it has none. */
function commandIn(input: Json): string {
  const command = isJsonObject(input) ? input['command'] : undefined;
  return typeof command === 'string' ? command : JSON.stringify(input);
}

const maxShown = 200; // The maximum number of characters of a command to show.

/** Returns a command on one line. Invisible characters are escaped, and truncation is marked. */
function shownCommand(command: string): string {
  const shown = visible(command);
  if (shown.length <= maxShown) return shown;
  const rest = shown.length - maxShown;
  return `${shown.slice(0, maxShown)}… (${rest.toLocaleString('en')} more characters)`.toWellFormed();
}

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
  type LastingLeave,
  type PermissionRequest,
  type PermissionSubject,
  type Permissions,
  type Policy,
  type Rule,
  type SkillVersion,
} from '../core/index.ts';
import { pinRule, type TrustBook } from './trust-book.ts';
import { allowKnown, changeOf, isChanged, needsTrust, trustRule, trustedBy } from './trust.ts';

/** What people decided once and for all. */
export type Leave = Pick<
  TrustBook,
  'isTrusted' | 'hasLeave' | 'remember' | 'trust' | 'list' | 'pinOf' | 'pin' | 'pinFirst'
>;

/**
 * The policy of rules and trust. Before any rule, what changes nothing may be called, and so may what the host itself
 * made, code of trusted bundles in a sandbox, and skills all of whose effects are calls; a person is asked about tools
 * with an effect, code of bundles that nobody trusted, and each process without a sandbox. What has a pin is known from
 * its first use on: when it becomes something else, a person is asked, whatever allowed it before.
 */
export function createPolicy(permissions: Permissions, book: Leave): Policy {
  const rules = {
    allow: parseRules(permissions.allow ?? []),
    ask: parseRules(permissions.ask ?? []),
    deny: parseRules(permissions.deny ?? []),
  };
  return {
    decide: (request) => decide(rules, book, request),
    remember: (leave) => remember(book, leave),
    inherit: (from, to) => inherit(book, from, to),
    trusts: (subject) => trustedBy(book, subject),
  };
}

type Question = Extract<Decision, { decision: 'ask' }>;
type Rules = Readonly<Record<'allow' | 'ask' | 'deny', readonly Rule[]>>;

function decide(
  { allow, ask, deny }: Rules,
  book: Leave,
  request: PermissionRequest,
): Decision | Promise<Decision> {
  const forbidden = ruleAgainst(deny, request);
  if (forbidden !== undefined) return { decision: 'deny', reason: forbiddance(forbidden, request) };
  const closed = protectedFrom(allow, request);
  if (closed !== undefined) return closed;
  const open = guarded(request, book);
  if (open !== undefined) return open;
  const { caller, permission } = request;
  const version = (): SkillVersion | undefined => versionOf(caller ?? request); // who asks for it binds the call to these files
  const { pin } = permission;
  const askAgain = (reason: string): Decision => {
    return { ...question(request, `${reason} ${effectOf(request)}`), ...optional('version', version()) };
  };
  if (pin !== undefined && isChanged(pin, book.pinOf(pin.key))) return askAgain(changeOf(pin));
  const asked = ruleAgainst(ask, request);
  if (asked !== undefined) return question(request, `The rule ${written(asked)} asks. ${effectOf(request)}`);
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
  return hasLeave(book, once, now) ? { decision: 'allow' } : { ...once, version: now };
}

/** The denial of a change to a protected path that no rule names. */
function protectedFrom(allow: readonly Rule[], request: PermissionRequest): Decision | undefined {
  const { permission, input, workspace } = request;
  const protection = permission.protects?.(input, workspace ?? '');
  if (protection === undefined) return undefined;
  const naming = allow.filter(({ spec }) => spec !== undefined && protection.isNamedBy(spec));
  if (rulesCover(naming, request)) return undefined;
  const { reason, hint } = protection;
  return { decision: 'deny', reason, hint };
}

/** What was allowed for good holds while the thing itself is known to be what it was then. */
function hasLeave(book: Leave, { rule, pin }: Question, { digest }: SkillVersion): boolean {
  return book.hasLeave(digest, rule) && (pin === undefined || book.pinOf(pin.key) === pin.hash);
}

function forbiddance(rule: Rule, { permission: { mayTouch } }: PermissionRequest): string {
  if (mayTouch === undefined || rule.spec === undefined) return `the rule ${written(rule)} forbids it.`;
  return `the rule ${written(rule)} forbids what it could touch. Choose a path that keeps away from that.`;
}

/** What no rule and no earlier approval can allow: untrusted code and processes without a sandbox. */
function guarded(request: PermissionRequest, book: Leave): Decision | undefined {
  const { permission, contained } = request;
  const isTrusted = !needsTrust(request) || trustedBy(book, request);
  const untrusted = isTrusted ? '' : distrustOf(request, book);
  if (!contained) {
    const does = permission.effect === undefined ? '' : `. ${permission.effect}`;
    const what =
      permission.runsProcesses === true
        ? shownCommand(commandIn(request.input))
        : `the code of a skill${does}`;
    const reason = `It runs unsandboxed, free to do all that you can: ${what}`;
    return { ...question(request, isTrusted ? reason : `${untrusted} ${reason}`), each: true };
  }
  return isTrusted ? undefined : trustQuestion(request, untrusted);
}

/** Undefined when a person allowed the files for this call already. */
function trustQuestion(request: PermissionRequest, untrusted: string): Decision | undefined {
  const { skill } = request;
  const version = versionOf(request);
  if (version === undefined)
    return {
      decision: 'deny',
      reason: 'nobody can vouch for its files: they cannot all be read, or lie elsewhere.',
    };
  const rule = trustRule(skill, version.digest);
  if (request.isAllowed?.({ rule, version }) === true) return undefined;
  return { decision: 'ask', reason: `${untrusted}${promiseOf(request)}`, rule, version };
}

function distrustOf(request: PermissionRequest, book: Leave): string {
  if (!isFromServer(request))
    return wasTrusted(request, book)
      ? 'Its files can run code, and they changed after somebody had trusted them.'
      : 'Its files can run code, and nobody has said that they are trusted.';
  const more = request.runsCode ? ', and its files can run code' : '';
  return `It comes from a server: its text would instruct models here${more}. Nobody has said that it is trusted.`;
}

function wasTrusted({ skill, dir }: PermissionRequest, book: Leave): boolean {
  try {
    return book.list().bundles.some((known) => known.name === skill && known.dir === dir);
  } catch {
    return false; // a book that cannot be read trusts nobody
  }
}

/** What it does, and what else is allowed by trusting a skill. */
function promiseOf({ permission: { effect }, tools = [] }: PermissionRequest): string {
  const does = effect === undefined ? '' : ` ${effect}`;
  if (tools.length === 0) return does;
  return `${does} Trusted for good, it also uses ${tools.join(', ')} without a question.`;
}

/**
 * The tools that a skill names for itself count when its files are trusted: a skill never grants itself anything, and
 * does not get by loading another what it would not get by itself.
 */
function isPreApproved(request: PermissionRequest, book: Leave): boolean {
  const { caller, active = [] } = request;
  const names = ({ tools }: PermissionSubject): boolean =>
    tools !== undefined && rulesCover(parseRules(tools), request);
  const isTrusted = (one: PermissionSubject): boolean => trustedBy(book, one);
  const naming = [...(caller === undefined ? [] : [caller]), ...active].filter(names);
  return naming.some(isTrusted) && (caller === undefined || isTrusted(caller));
}

/** What a skill does to its own folder alone is allowed with its code: for good, or for the run that it works in. */
function isOwn({ permission, input, caller }: PermissionRequest, book: Leave): boolean {
  if (caller === undefined || permission.isOwn?.(input, caller.dir) !== true) return false;
  return trustedBy(book, caller) || caller.runsCode?.() === true;
}

function isHarmless({ permission, made, source }: PermissionRequest): boolean {
  return permission.readOnly === true || (made && source === 'explicit') || permission.label === undefined;
}

function question(request: PermissionRequest, reason: string): Question {
  const { skill, permission } = request;
  const { label, pin } = permission;
  if (pin !== undefined) return { decision: 'ask', reason, rule: pinRule(label ?? skill, pin), pin };
  const spec = offerFor(request);
  if (spec !== undefined) return { decision: 'ask', reason, rule: `${label ?? skill}(${spec})` };
  return { decision: 'ask', reason, rule: label ?? `Skill(${skill})` };
}

/** What an answer for longer than this once is about: as narrow as the tool can tell. */
function offerFor({ permission, input, workspace }: PermissionRequest): string | undefined {
  if (permission.runsProcesses === true) return commandIn(input);
  return permission.parts?.(input, workspace ?? '').offer;
}

function effectOf({ permission, input }: PermissionRequest): string {
  if (permission.runsProcesses === true) return `It runs a command: ${shownCommand(commandIn(input))}`;
  return permission.effect ?? 'It can change things.';
}

function versionOf({ skill, digest }: PermissionSubject): { skill: string; digest: string } | undefined {
  const now = digest();
  return now === undefined ? undefined : { skill, digest: now };
}

async function remember(book: Leave, leave: LastingLeave): Promise<void> {
  const { skill: name, digest, rule, dir, pin } = leave;
  if (pin !== undefined) await book.pin(pin);
  await (rule === trustRule(name, digest) ? book.trust({ digest, name, dir }) : book.remember(leave));
}

/** Trust, and what a person allowed for as long as the files stay as they are, goes over to what was made of them. */
async function inherit(
  book: Leave,
  from: string,
  to: SkillVersion & { readonly dir: string },
): Promise<void> {
  const { skill: name, digest, dir } = to;
  if (book.isTrusted(from)) await book.trust({ digest, name, dir });
  for (const { rule, ...given } of leaveFor(book, from)) await book.remember({ ...given, rule, digest, dir });
}

function leaveFor(book: Leave, digest: string): readonly LastingLeave[] {
  try {
    return book.list().leave.filter((leave) => leave.digest === digest);
  } catch {
    return []; // a book that cannot be read allows nothing
  }
}

function written({ tool, spec }: Rule): string {
  return spec === undefined ? tool : `${tool}(${spec})`;
}

/** The command in the input of a skill that runs processes; the whole input as JSON where it has none. */
function commandIn(input: Json): string {
  const command = isJsonObject(input) ? input['command'] : undefined;
  return typeof command === 'string' ? command : JSON.stringify(input);
}

const mostShown = 200; // characters

/** A command on one line: what cannot be seen is spelled out, and what is left out is said. */
function shownCommand(command: string): string {
  const shown = visible(command);
  if (shown.length <= mostShown) return shown;
  const rest = shown.length - mostShown;
  return `${shown.slice(0, mostShown)}… (${rest.toLocaleString('en')} more characters)`.toWellFormed();
}

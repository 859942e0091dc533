import { optional, shownSkillName, type Actor, type RunEvent } from '../core/index.ts';

/** Something that a person did to a run. */
export interface AuditEntry {
  /** The time in milliseconds since the Unix epoch. */
  readonly at: number;
  readonly run: string;
  readonly action: AuditAction;
  /** Who did it, in the pseudonymous form of the log. Absent if the log does not say it. */
  readonly user?: string;
  /** The id of the key with which a server received the request. */
  readonly client?: string;
  /** The skill that was asked for, or about whose call was decided. */
  readonly skill?: string;
  /** The scope of the decision: this call, the run, or this version of the skill. */
  readonly scope?: 'once' | 'run' | 'version';
  readonly rule?: string;
  /** The reason of a denial or a cancellation. */
  readonly reason?: string;
}

/** An action of a person on a run. `decided-by-policy` means that a change of the rules made a decision. */
export type AuditAction =
  'asked' | 'answered' | 'allowed' | 'denied' | 'expired' | 'decided-by-policy' | 'cancelled';

/** Returns what people did to a run, in the order of its log. Takes one event at a time. Pure. */
export function createAuditFold(): (event: RunEvent) => AuditEntry | undefined {
  const open = new Map<string, { readonly skill: string; readonly rule: string }>();
  return (event) => {
    const { at, runId: run, frameId } = event;
    const entry = (action: AuditAction, by: Actor | undefined, more: Partial<AuditEntry>): AuditEntry => {
      return { at, run, action, ...optional('user', by?.user), ...optional('client', by?.client), ...more };
    };
    switch (event.type) {
      case 'run.started':
        return entry('asked', event, event.skill === '' ? {} : { skill: shownSkillName(event.skill) });
      case 'input.resolved':
        return entry(event.error === undefined ? 'answered' : 'expired', event.actor, {});
      case 'approval.requested':
        open.set(`${frameId} ${event.key}`, {
          skill: shownSkillName(event.asks.skill),
          rule: event.asks.rule,
        });
        return undefined;
      case 'approval.resolved': {
        const subject = open.get(`${frameId} ${event.key}`) ?? {};
        open.delete(`${frameId} ${event.key}`);
        const { answer, actor, by } = event;
        if ('allow' in answer)
          return entry(by === undefined ? 'allowed' : 'decided-by-policy', actor, {
            ...subject,
            scope: answer.allow,
          });
        const action =
          by !== undefined ? 'decided-by-policy' : answer.expired === true ? 'expired' : 'denied';
        return entry(action, actor, { ...subject, reason: answer.deny });
      }
      case 'run.ended':
        if (event.status !== 'cancelled') return undefined;
        return entry('cancelled', event.actor, { reason: event.output.text });
      default:
        return undefined;
    }
  };
}

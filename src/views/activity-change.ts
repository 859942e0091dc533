import type { RunEvent } from '../core/event.ts';
import { optional } from '../core/collections.ts';
import { askedQuestion } from './asked-question.ts';
import type { Activity } from './run-node.ts';

/** That an activity of a frame began or ended, and what is known of it since. */
export interface ActivityChange {
  readonly begins: boolean;
  readonly kind: Activity['kind'];
  readonly key: string;
  readonly facts?: Pick<Activity, 'model' | 'usage' | 'failed' | 'question' | 'error' | 'reused'>;
}

/** What an event says about an activity of its frame, which has this path; undefined when it is about something else. */
export function activityChange(event: RunEvent, path: readonly string[]): ActivityChange | undefined {
  switch (event.type) {
    case 'step.started':
      return { begins: true, kind: 'step', key: event.key };
    case 'step.ended':
      return { begins: false, kind: 'step', key: event.key, facts: optional('error', event.error) };
    case 'model.started':
      return { begins: true, kind: 'model', key: event.key, facts: { model: event.model } };
    case 'model.ended': {
      const { usage, error, model, failed } = event.reply;
      const more = {
        ...optional('error', error),
        ...optional('model', model),
        ...optional('failed', failed),
      };
      return { begins: false, kind: 'model', key: event.key, facts: { usage, ...more } };
    }
    case 'prepare.started':
      return { begins: true, kind: 'prepare', key: event.run };
    case 'prepare.ended':
      return { begins: false, kind: 'prepare', key: event.run, facts: optional('error', event.error) };
    case 'input.requested':
      return { begins: true, kind: 'input', key: event.key, facts: { question: askedQuestion(event, path) } };
    case 'input.resolved':
      return { begins: false, kind: 'input', key: event.key, facts: optional('error', event.error) };
    case 'approval.requested':
      return {
        begins: true,
        kind: 'approval',
        key: event.key,
        facts: { question: askedQuestion(event, path) },
      };
    case 'approval.resolved':
      return { begins: false, kind: 'approval', key: event.key };
    default:
      return undefined;
  }
}

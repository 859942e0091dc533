import type { IncomingMessage } from 'node:http';
import { AgentError } from '../../core/error.ts';

/** Whether an answer says that the page is elsewhere. */
export function isRedirect({ statusCode = 0, headers }: IncomingMessage): boolean {
  return [301, 302, 303, 307, 308].includes(statusCode) && headers.location !== undefined;
}

/** Where a redirect leads; throws for another host, which nobody has allowed yet, and for a step down from https. */
export function followRedirect(from: URL, location: string): URL {
  const to = URL.parse(location, from.href);
  if (to === null) {
    throw new AgentError('skill.failed', `${from.href} leads to "${location}", which is no address.`);
  }
  if (from.protocol === 'https:' && to.protocol !== 'https:') {
    throw new AgentError('policy.denied', `${from.href} leads to ${to.protocol}//, which is not encrypted.`);
  }
  if (bareHost(from) !== bareHost(to)) {
    throw new AgentError('skill.failed', `${from.href} leads to another host: ${to.href}`, {
      hint: 'Fetch that address instead, if it is the page that is meant.',
    });
  }
  return to;
}

function bareHost({ hostname }: URL): string {
  return hostname.replace(/^www\./, '');
}

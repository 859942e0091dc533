import type { Chat, Said } from './chat.ts';
import { openQuestion } from './open-question.ts';

const key = 'chat.forgotten-at';

/** Lets a conversation begin anew: what was said in it and what skills keep for it is forgotten, its runs are not. */
export async function forget(chat: Chat): Promise<Said> {
  const { agent, session, lastRun } = chat;
  if (lastRun !== undefined) {
    await agent.clearSessionMemory(session);
    await agent.getSessionMemory(session).set(key, Date.now());
  }
  const waits = (await openQuestion(chat)) === undefined ? '' : ' A question still waits; /cancel drops it.';
  return { text: `Forgotten.${waits}\n`, document: { ok: true, session } };
}

/** When a conversation last began anew, in milliseconds since 1970; 0 when it never did. */
export async function forgottenAt({ agent, session }: Chat): Promise<number> {
  const at = await agent.getSessionMemory(session).get(key);
  return typeof at === 'number' ? at : 0;
}

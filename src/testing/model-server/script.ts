import { reasonOf } from '../../core/error.ts';
import type { ServedReply, ServedRequest, ServedScript } from './turn.ts';

/** What the script says about a request; never throws. A script that is over or fails is an error that no client tries again. */
export async function readScript(
  script: ServedScript,
  request: ServedRequest,
  turn: number,
): Promise<ServedReply> {
  try {
    const said = typeof script === 'function' ? await script(request, turn) : script[turn - 1];
    if (said === undefined) return refusing(overMessage(script, turn));
    return typeof said === 'string' ? { text: said } : said;
  } catch (thrown) {
    return refusing(`The script of the model server failed in turn ${turn}: ${reasonOf(thrown)}`);
  }
}

function overMessage(script: ServedScript, turn: number): string {
  const turns = typeof script === 'function' ? turn - 1 : script.length;
  return `The script of the model server is over: it has ${turns} ${turns === 1 ? 'turn' : 'turns'}, and this is request ${turn}.`;
}

function refusing(errorMessage: string): ServedReply {
  return { status: 400, errorMessage };
}

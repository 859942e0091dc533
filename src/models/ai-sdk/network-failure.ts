import { answerCut, type Failure, type Told } from './failures.ts';
import type { Asked } from './asked.ts';
import type { Fault } from './fault.ts';
import { customProvider } from '../provider-place.ts';
import { quote } from './quote.ts';

/** The failure of the way to a provider; undefined when the fault is of another kind. Pure. */
export function networkFailure({ marks, status, sentence }: Fault): Failure | undefined {
  if (marks.includes('econnrefused')) return nothingAnswers;
  if (/enotfound|eai_again/.test(marks)) return unknownHost;
  if (/cert|self_signed|_tls_|_ssl_/.test(marks)) return notSecure;
  if (/econnreset|epipe|und_err_socket|und_err_aborted|econnaborted/.test(marks))
    return status === undefined ? closedTooEarly : answerCut;
  if (/ehostunreach|enetunreach|und_err|err_invalid_url/.test(marks) || /^fetch failed/i.test(sentence))
    return unreachable;
  return undefined;
}

const nothingAnswers: Failure = (fault, asked) => ({
  ...unavailable(`Nothing answers at ${addressOf(fault, asked)}.`),
  hint: `Start ${asked.label === customProvider ? 'the server' : asked.label}, or check its address.`,
});

const unknownHost: Failure = (fault, asked) => ({
  ...unavailable(`No machine is known by the name in ${addressOf(fault, asked)}.`),
  passing: fault.marks.includes('eai_again'),
});

const notSecure: Failure = (fault, asked) => ({
  ...unavailable(
    `There is no secure connection to ${addressOf(fault, asked)}: ${quote(fault.sentence, 'its certificate is not trusted')}`,
  ),
  hint: 'Set NODE_EXTRA_CA_CERTS to a file with the certificate of the authority, or check the address.',
});

const closedTooEarly: Failure = (fault, asked) => ({
  ...unavailable(`The connection to ${addressOf(fault, asked)} was closed before an answer came.`),
  hint: 'Try again.',
  passing: true,
});

const unreachable: Failure = (fault, asked) => ({
  ...unavailable(
    `${addressOf(fault, asked)} cannot be reached: ${quote(fault.sentence, 'the network does not say why')}`,
  ),
  passing: true,
});

function unavailable(message: string): Told {
  return {
    code: 'model.unavailable',
    message,
    hint: 'Check the network and the address.',
    passing: false,
  };
}

/** Without what may be secret in it: name, password and query. */
function addressOf(fault: Fault, { url = fault.url, label }: Asked): string {
  if (url === undefined || !URL.canParse(url)) return label;
  const { origin, pathname } = new URL(url);
  return origin + (pathname === '/' ? '' : pathname);
}

import fc from 'fast-check';

const often = ['ok', ' ', ' ', ' ', 'ok ', '\n', ';', ' bad ', 'x'];
const signs =
  '$( ) ` \' " ( <( >( ${x:- } \\ # ! $ & | <<< > < >&2 2>&1 >/dev/null &>/dev/null || && ;; ;& $(( )) (( [ ] $[ $\' $" {a,b} * ? ~ =';
const names = `esac {PATH} \${x:= \${PATH:= @( !( $x "$x" \${!x} \${x@P} $((x)) 'a[$(bad)]' 1 x= -- $@ "$@" \\; \\' \\n EXIT`;
const spaced = [
  ...[
    '\\\n',
    '{ ',
    '; }',
    '<<E\n',
    '\nE\n',
    "<<'E'\n",
    '<<-E\n',
    '[[ ',
    ' ]]',
    '\t',
    '\r',
    '\u00a0',
    ' -',
    '() ',
  ],
  ...['if ', ' then ', ' fi', ' else ', 'while ', ' do ', ' done', 'for x in ', 'case x in ', 'x) ', ' in '],
  ...['for PATH in evil; do ', "for x in 'a[$(bad)]'; do ", "for x in '-v PATH evil'; do ", 'PATH=evil '],
  ...['coproc ', 'time ', 'function ', '-v ', '-eq ', 'printf ', '[ ', 'read ', 'env ', 'command ', 'eval '],
  ...['sh -c ', 'bash ', 'find . -maxdepth 0 ', '-exec ', ' {} ', 'xargs ', '-I{} ', 'exec ', "trap 'bad' "],
  ...['<<< x ', ': ', 'echo bad | ', 'timeout 5 '],
];

/** Generates tokens of the language in random order. Few results are valid scripts, and those are unusual. */
export function randomTokens(): fc.Arbitrary<string> {
  const token = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...often) },
    { weight: 4, arbitrary: fc.constantFrom(...signs.split(' '), ...names.split(' '), ...spaced) },
  );
  return fc.array(token, { minLength: 1, maxLength: 14 }).map((tokens) => tokens.join(''));
}

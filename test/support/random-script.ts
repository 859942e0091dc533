import fc from 'fast-check';

const plain = `x -v a1 \\; '' # '#' * ~ { } $"v" $x "$@" \${#x} \${x} $((1+2)) {m,n} k=v ! % \\' \\\` [q] $? "\${x:-y}" -- $ if done [[ ]]`;
const quoted = ["'b c'", '"d e"', "'$(no)'", '"\\$(no)"', "$'t\\tu'", "'a[$(no)]'", '\\\nz', '"\\`"'];
const literal = fc.constantFrom(...plain.split(' '), ...quoted);

type Forms = Record<'script' | 'statement' | 'simple' | 'word' | 'wrapped', string>;

/**
 * Generates scripts with every construct that a shell can nest, which call programs of these names. Every
 * script ends.
 */
export function randomScript(names: readonly string[]): fc.Arbitrary<string> {
  const name = fc.constantFrom(...names);
  const { script } = fc.letrec<Forms>((tie) => {
    const script = tie('script');
    const statement = tie('statement');
    const simple = tie('simple');
    const word = tie('word');
    const wrapped = tie('wrapped');
    return {
      script: fc.oneof(
        { maxDepth: 4, depthIdentifier: 'd' },
        statement,
        build('%s; %s', statement, script),
        build('%s\n%s', statement, script),
        build('%s && %s', statement, script),
        build('%s || %s', statement, script),
        build('%s | %s', statement, script),
        build('%s |& %s', statement, script),
        build('%s & %s', statement, script),
        build('%s # %s', statement, literal),
      ),
      statement: fc.oneof(
        { maxDepth: 4, depthIdentifier: 'd' },
        simple,
        simple,
        wrapped,
        build('( %s\n)', script),
        build('{ %s\n}', script),
        build('! { %s\n}', script),
        build('time %s', simple),
        build('if %s\nthen %s\nelse %s\nfi', script, script, script),
        build('while %s; do %s\nbreak; done', simple, script),
        build('until %s; do %s\nbreak; done', simple, script),
        build('for x in %s %s; do %s\ndone', word, word, script),
        build('for ((i=0; i<1$(%s >/dev/null); i++)); do %s\ndone', name, script),
        build('case %s in %s) %s\n;; *) %s\n;; esac', word, word, script, script),
        // A subshell defines and calls the function, so that no function can call itself.
        build('( f() { %s\n}; f )', script),
        build('( function f { %s\n} >/dev/null; f )', script),
        build('coproc %s x', name),
        build('coproc { %s\n}', script),
        build('[[ %s == %s || -n %s ]]', word, word, word),
        build('(( 1 + $(%s >&2) 1 ))', name),
        build('y=%s', word),
        build('y[$(%s >/dev/null)0]=(%s)', name, word),
        build('y=%s %s', word, simple),
        build('{ %s <<E\n%s ${x:-%s}\nE\n}', simple, word, word),
        build("{ %s <<'E'\n%s\nE\n}", simple, word),
        build('{ %s <<-E\n\t`%b`\n\tE\n}', simple, script),
        build('export z=%s', word),
      ),
      simple: fc.oneof(
        { maxDepth: 6, depthIdentifier: 'd' },
        build('%s', name),
        build('%s %s', name, word),
        build('%s %s %s', name, word, word),
        build('%s %s 2>&1', name, word),
        build('>/dev/null %s %s', name, word),
        build('%s <<< %s', name, word),
        build('%s > /dev/null$(%s)', name, name),
        build('\\%s %s', name, word),
        build("''%s'' %s", name, word),
        build('%s\\\n %s', name, word),
      ),
      word: fc.oneof(
        { maxDepth: 6, depthIdentifier: 'd' },
        literal,
        literal,
        build('$(%s\n)', script),
        build('`%b`', script),
        build('"$(%s\n)"', script),
        build('"a `%b`"', script),
        build('${x:-%s}', word),
        build('"${x-$(%s\n)}"', script),
        build('${y[$(%s >/dev/null)0]}', name),
        build('${u/$(%s)/%s}', name, word),
        build('"${v:$(%s >/dev/null)0:1}"', name),
        build('$((1+$(%s >/dev/null)1))', name),
        build('$((%s\n) )', script),
        build('$[1+$(%s >/dev/null)1]', name),
        build('<(%s\n)', script),
        build('>(%s\n)', script),
        build('{a,%s}', word),
        build('p%s"q"', word),
        build('[$(%s)]', name),
        build('$"l $(%s)"', name),
      ),
      wrapped: fc.oneof(
        { maxDepth: 6, depthIdentifier: 'd' },
        build('env %s', simple),
        build('env -i z=1 %s', name),
        build('timeout -k 9 9 %s', simple),
        build('nice -n 1 %s', simple),
        build('stdbuf -o0 %s', simple),
        build('command %s', simple),
        build('builtin eval %q', script),
        build('( exec %s\n)', simple),
        build('xargs -n1 %s <<< %s', name, word),
        build('xargs -I{} %s {} <<< x', name),
        build("find . -maxdepth 0 -exec %s {} ';'", name),
        build('find . -maxdepth 0 -exec sh -c %q {} +', script),
        build('sh -c %q', simple),
        build('bash -ec %q x y', script),
        build('bash -o pipefail -c -- %q', script),
        build('eval %q', script),
        build('( trap %q EXIT\n)', script),
        build('bash <<< %q', script),
        build('$x %s', simple),
        build('$(fail) %s', simple),
        build('{%s,x,y}', name),
        build("$'%s' %s", name, word),
      ),
    };
  });
  return script;
}

/** Inserts values into a template: unchanged, as one quoted word, or in backticks. */
function build(form: string, ...arbitraries: readonly fc.Arbitrary<string>[]): fc.Arbitrary<string> {
  return fc.tuple(...arbitraries).map((values) => {
    let next = 0;
    return form.replace(/%[sqb]/g, (kind) => {
      const value = values[next++] ?? '';
      if (kind === '%q') return `'${value.replace(/'/g, `'\\''`)}'`;
      return kind === '%b' ? value.replace(/[\\`]/g, '\\$&') : value;
    });
  });
}

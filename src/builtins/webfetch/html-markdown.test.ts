import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openLoops } from '../../../test/stress/stress.ts';
import { finished } from '../../../test/support/deadline.ts';
import { htmlMarkdown } from './html-markdown.ts';

const { createLoop } = openLoops(import.meta);

function markdown(html: string, url = 'https://example.com/a/b'): string {
  return htmlMarkdown(html, url, 100_000).text;
}

describe('a page as Markdown', () => {
  const cases: Readonly<Record<string, readonly [html: string, expected: string]>> = {
    'paragraphs and white space': ['<p>One\n  two</p>\n\n<div>three</div>four', 'One two\n\nthree\n\nfour'],
    headings: ['<h1>A <em>b</em></h1><h3><div>c</div></h3><h2></h2>', '# A *b*\n\n### c'],
    emphasis: ['a<b> b </b>c <i></i><b><strong>d</strong></b><s>e</s>', 'a **b** c **d**~~e~~'],
    entities: ['<p>a &amp; b &lt;c&gt; &eacute; &#x1F600;</p>', 'a & b <c> é 😀'],
    'breaks of lines': ['a<br>b<br><br><br><br>c', 'a\nb\n\nc'],
    'whole addresses': [
      '<a href="c">c</a> <a href="/d">d</a> <a href="//e.org/f(1)">e</a> <a href="mailto:x@y.z">m</a>',
      '[c](https://example.com/a/c) [d](https://example.com/d) [e](https://e.org/f%281%29) [m](mailto:x@y.z)',
    ],
    'a base': ['<base href="/docs/"><a href="x">x</a>', '[x](https://example.com/docs/x)'],
    'links that lead nowhere': [
      '<a href="#top">a</a> <a href="javascript:alert(1)">b</a> <a href="data:text/html,x">c</a> <a>d</a><a href="x"> </a>',
      'a b c d',
    ],
    'links around blocks': [
      '<a href="/x"><h2>T</h2><p>d</p></a>e',
      '## [T](https://example.com/x)\n\n[d](https://example.com/x)\n\ne',
    ],
    images: [
      '<img alt="A cat" src="x"><img src="y"><a href="/z"><img alt="z"></a>',
      'A cat [z](https://example.com/z)',
    ],
    lists: [
      '<p>x</p><ul><li>a<li>b<ol start=9><li>c<li>d</ol><li><p>e</p><p>f</p></ul>y',
      'x\n\n- a\n- b\n  9. c\n  10. d\n- e\n\n  f\n\ny',
    ],
    quotations: [
      '<blockquote><p>a</p><p>b<br>c</p><ul><li>d</ul></blockquote>e',
      '> a\n>\n> b\n> c\n>\n> - d\n\ne',
    ],
    code: ['<p>x <code>a  b</code> <kbd>c`d</kbd></p>', 'x `a b` `` c`d ``'],
    'preformatted text': [
      '<pre><code class="hl language-ts">\nlet a;\n\n  b &lt; <b>c</b>\n</code></pre>',
      '```ts\nlet a;\n\n  b < c\n```',
    ],
    'fences in code': ['<pre>```\nx\n```</pre>', '````\n```\nx\n```\n````'],
    tables: [
      '<table><caption>C</caption><tr><th>a<th>b|c<tr><td>1<td><p>2</p><p>3</p><tr><td colspan=2>4<td>5</table>x',
      'C\n\n| a | b\\|c |  |\n| --- | --- | --- |\n| 1 | 2 3 |\n| 4 |  | 5 |\n\nx',
    ],
    'tables that only place things': [
      '<table><tr><td><h2>a</h2><table><tr><td>b<td>c</table><td>d</table>',
      '## a\n\n| b | c |\n| --- | --- |\n\nd',
    ],
    'definitions and lines': ['<dl><dt>a<dd>b</dl><hr>c', 'a\n\n: b\n\n---\n\nc'],
    'what is not to be seen': [
      '<style>x</style><script>x</script><noscript>x</noscript><template>x</template><svg><text>x</text></svg>' +
        '<p hidden>x<p>a<div style="color: red; DISPLAY : none">x</div><i style="visibility:hidden">x</i>' +
        '<iframe>x</iframe><select><option>x</select><!-- x --><textarea>x</textarea><object>x</object>b',
      'a\n\nb',
    ],
    'navigation stays': ['<nav><a href="/a">A</a></nav>', '[A](https://example.com/a)'],
    'tags that nobody closed': ['<p>a<p>b<ul><li>c<li>d', 'a\n\nb\n\n- c\n- d'],
    'no tags at all': ['a < b && c > d', 'a < b && c > d'],
    nothing: ['', ''],
  };
  for (const [name, [html, expected]] of Object.entries(cases)) {
    test(name, () => assert.equal(markdown(html), expected));
  }

  test('the title is the first one of the page itself', () => {
    const title = (html: string): string => htmlMarkdown(html, 'https://example.com/', 100).title;
    assert.equal(title('<title> A\n b </title><svg><title>c</title></svg>'), 'A b');
    assert.equal(title('<svg><title>c</title></svg>'), '');
    assert.equal(markdown('<title>A</title>x'), 'x');
  });

  test('a long page is cut and says so, without half a character', () => {
    const { text, isCut } = htmlMarkdown(`<p>a${'😀'.repeat(100)}</p><p>b</p>`, 'https://example.com/', 100);
    assert.ok(isCut);
    assert.ok(text.isWellFormed() && text.length === 100);
  });
});

// With a simpler program, each would take minutes, all memory or the whole stack.
describe('a hostile page is read in bearable time', () => {
  const pages: Readonly<Record<string, (size: number) => string>> = {
    'deep blocks': (size) => `${'<div>'.repeat(size)}x`,
    'deep quotations': (size) =>
      `${'<blockquote>'.repeat(0.3 * size)}x${'</blockquote><p>y'.repeat(0.3 * size)}`,
    'deep lists': (size) => '<ul><li>x'.repeat(0.3 * size),
    'deep tables': (size) => `${'<table><tr><td>'.repeat(0.2 * size)}x`,
    'marks in marks': (size) => '<b>x<i>y<a href=a>'.repeat(0.2 * size),
    'marks that are made again in each block': (size) =>
      `<div>${numbered(0.3 * size, (index) => `<font a${index}>`).join('')}${'</div><div>x'.repeat(0.3 * size)}`,
    'many rows': (size) => `<table>${'<tr><td>a<td>b'.repeat(0.3 * size)}`,
    'many cells': (size) => `<table><tr>${'<td>a'.repeat(size)}`,
    'empty marks': (size) => '<b> </b>'.repeat(size),
    'breaks in a cell': (size) => `<table><tr><td>a ${'<br>'.repeat(2 * size)}<td>b</table>x`,
    'blocks after a long text in a cell': (size) =>
      `<table><tr><td>${'y'.repeat(10 * size)} ${'<div></div>'.repeat(0.5 * size)}<td>b</table>x`,
    'spaces in code': (size) => `<pre>x${' '.repeat(40 * size)}x</pre>`,
    'many attributes': (size) => `<p ${numbered(size, (index) => `a${index}`).join(' ')}>x`,
  };
  for (const [name, pageOf] of Object.entries(pages)) {
    const loop = createLoop({ small: 30_000, full: 100_000 });
    test(name, async () => {
      await loop.sizes((size) => {
        const html = pageOf(size);
        assert.ok(html.length < 5_000_000);
        assert.equal(typeof finished(name, () => markdown(html)), 'string');
      });
    });
  }
});

function numbered(count: number, part: (index: number) => string): readonly string[] {
  return Array.from({ length: count }, (_, index) => part(index));
}

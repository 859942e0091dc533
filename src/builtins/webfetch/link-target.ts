/** An address that can be followed from elsewhere; places on the same page, scripts and data are none. */
export function linkTarget(href: string, base: string): string | undefined {
  if (href === '' || href.startsWith('#') || href.length > 2000) return undefined;
  const target = URL.parse(href, base);
  if (target === null || !['http:', 'https:', 'mailto:'].includes(target.protocol)) return undefined;
  return target.href.replace(/[()]/g, (bracket) => (bracket === '(' ? '%28' : '%29'));
}

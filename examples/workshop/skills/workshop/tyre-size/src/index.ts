interface TyreSize {
  readonly size: string;
}

interface Measures {
  readonly diameter_mm: number;
  readonly circumference_mm: number;
}

export function action({ size }: TyreSize): Measures {
  const [width = 0, seat = 0] = size.split('-').map(Number);
  const diameter = seat + 2 * width;
  return { diameter_mm: diameter, circumference_mm: Math.round(diameter * Math.PI) };
}

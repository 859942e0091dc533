/** A pile whose first element is always at hand. */
export interface Heap<Element> {
  readonly size: number;
  first(): Element | undefined;
  add(element: Element): void;
  take(): Element | undefined;
}

/** An empty binary heap. */
export function createHeap<Element>(isBefore: (one: Element, other: Element) => boolean): Heap<Element> {
  const elements: Element[] = [];
  const mayRise = (child: number, parent: number): boolean => {
    const [one, other] = [elements[child], elements[parent]];
    return one !== undefined && other !== undefined && isBefore(one, other);
  };
  const swap = (one: number, other: number): void => {
    [elements[one], elements[other]] = [elements[other] as Element, elements[one] as Element];
  };

  const rise = (from: number): void => {
    let place = from;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (!mayRise(place, parent)) return;
      swap(place, parent);
      place = parent;
    }
  };
  const sink = (): void => {
    let place = 0;
    while (true) {
      const left = 2 * place + 1;
      const lesser = mayRise(left + 1, left) ? left + 1 : left;
      if (!mayRise(lesser, place)) return;
      swap(place, lesser);
      place = lesser;
    }
  };

  return {
    get size() {
      return elements.length;
    },
    first: () => elements[0],
    add(element) {
      elements.push(element);
      rise(elements.length - 1);
    },
    take() {
      const first = elements[0];
      const last = elements.pop();
      if (last !== undefined && elements.length > 0) {
        elements[0] = last;
        sink();
      }
      return first;
    },
  };
}

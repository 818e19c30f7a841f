import { Injectable } from 'somewhere';

export function identity<T extends object>(
  value: T,
): T {
  return value;
}

function overloaded(a: string): string;
function overloaded(a: number): number;
function overloaded(a: any): any {
  return a;
}

@Injectable()
export class Service<T> {
  private readonly cache = new Map<string, T>();
  public load = async (id: string): Promise<T> => {
    return this.cache.get(id)!;
  };

  constructor(private readonly http: Http) {}

  @Log('x')
  @Trace()
  public async find(id: string): Promise<T | undefined> {
    return undefined;
  }
}

export abstract class Abstract {
  abstract missing(): void;
  protected present(): void {}
}

namespace Geometry.Plane {
  export const area = (w: number, h: number): number => w * h;
}

const wrapped = (function (x: number) {
  return x;
}) as Handler;

export default class {
  run(): void {}
}

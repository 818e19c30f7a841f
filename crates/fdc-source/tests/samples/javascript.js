'use strict';

function plain(a, b = () => 1) {
  return [a].map(function (x) {
    return x;
  });
}

async function* generates() {}

const arrow = (x) => x * 2;

const long =
  async (x) => {
    const inner = () => {
      return x;
    };
    return inner();
  };

class Shape extends Base {
  static #count = 0;
  handler = (event) => {
    this.x = event;
  };

  constructor() {
    super();
  }

  get area() { return 1; }

  set area(value) {}

  async *[Symbol.asyncIterator]() {}

  static #hidden() {}
}

const api = {
  get(url) { return url; },
  post: async function (url) {
    return url;
  },
  'quoted-name': () => {},
  nested: { deep() {} },
};

exports.exported = function () {};
module.exports.other = () => {};
Shape.prototype.grow = function grow() {
  return 1;
};

(function () {
  function wrapped() {}
})();

describe('suite', () => {
  it('works', () => {
    plain();
  });
});

const Named = class {
  method() {}
};

const view = <div onClick={() => 1}>text</div>;

export default function () {
  return 1;
}

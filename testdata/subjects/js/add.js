const { Cart } = require("./cart.js");

const cart = new Cart();
cart.add(5);
if (cart.total !== 5) throw new Error("wrong");

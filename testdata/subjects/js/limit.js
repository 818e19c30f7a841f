const { Cart } = require("./cart.js");

new Cart().add(1, 4);

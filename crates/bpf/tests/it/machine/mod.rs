mod instructions;
mod speed;

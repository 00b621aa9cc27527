//! The front end for innochecksum beside the stock tools: the same command lines on the same real
//! files, output and exit status compared to the letter.

mod agreement;
mod differences;
mod fixture;
mod rewriting;

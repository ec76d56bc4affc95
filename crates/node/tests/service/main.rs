//! The built program as its users, its operators and its attackers meet it: over sockets, with real
//! nodes, with recordings of real chains. One binary, so that it is linked once.

mod accounts {
    mod admin;
    mod attacks;
    mod bond;
    mod example;
}
mod admin;
mod aptos;
mod anvil {
    mod anchor;
    mod checkpoints;
    mod fill;
    mod gas;
    mod inspect;
    mod manager;
    mod markets;
    mod one;
    mod payments;
    mod prices;
    mod wallet;
    mod watch;
}
mod audit {
    mod against;
    mod follow;
    mod once;
    mod witnesses;
}
mod bitcoin;
mod blooms;
mod ccip;
mod clients;
mod connections;
mod contracts;
mod cosmos;
mod demo;
mod disk;
mod endpoints;
mod examples;
mod finality;
mod gas;
mod grpc;
mod http_service;
mod icp;
mod logs;
mod marks;
mod mcp;
mod metrics;
mod operate;
mod page;
mod passes;
mod polkadot;
mod real_blocks;
mod rows;
mod scans;
mod schemathesis;
mod sdk;
mod secured;
mod solana;
mod streams;
mod sui;
mod support;
mod tron;
mod witness {
    mod command;
    mod serve;
}
